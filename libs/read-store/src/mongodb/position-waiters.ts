import { setTimeout as sleep } from 'node:timers/promises';

export interface PositionWaiterOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** How soon a change by another process is noticed. */
const pollMs = 15;

/** Lets many requests wait for the store to reach a state. All share one look at a time. */
export class PositionWaiters<Snapshot> {
  private readonly waiting = new Set<Waiting<Snapshot>>();
  private wake = new AbortController();
  private running = false;
  private closed = false;

  constructor(private readonly look: () => Promise<Snapshot>) {}

  /**
   * True once `isReached` accepts what `look` returns. False if the time is up, the signal is
   * aborted or the waiters are closed.
   */
  async until(
    isReached: (now: Snapshot) => boolean,
    { timeoutMs, signal }: PositionWaiterOptions,
  ): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    if (isReached(await this.look())) return true;
    if (timeoutMs <= 0 || this.closed || signal?.aborted === true) return false;
    return new Promise((resolve, reject) => {
      const settle = (how: () => void): void => {
        clearTimeout(late);
        signal?.removeEventListener('abort', give);
        this.waiting.delete(waiting);
        how();
      };
      const give = (): void => settle(() => resolve(false));
      const late = setTimeout(give, Math.max(0, deadline - performance.now()));
      const waiting: Waiting<Snapshot> = {
        isReached,
        answer: (reached) => settle(() => resolve(reached)),
        fail: (error) =>
          settle(() => reject(error instanceof Error ? error : new Error(String(error)))),
      };
      signal?.addEventListener('abort', give);
      this.waiting.add(waiting);
      if (!this.running) void this.run();
    });
  }

  /** Looks at once, because this process has changed something. */
  notify(): void {
    this.wake.abort();
  }

  close(): void {
    this.closed = true;
    for (const waiting of this.waiting) waiting.answer(false);
    this.wake.abort();
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.size > 0) {
      await sleep(pollMs, undefined, { signal: this.wake.signal }).catch(() => undefined);
      if (this.wake.signal.aborted) this.wake = new AbortController();
      await this.answerAll();
    }
    this.running = false;
  }

  private async answerAll(): Promise<void> {
    try {
      const snapshot = await this.look();
      for (const waiting of this.waiting) if (waiting.isReached(snapshot)) waiting.answer(true);
    } catch (error) {
      for (const waiting of this.waiting) waiting.fail(error);
    }
  }
}

interface Waiting<Snapshot> {
  readonly isReached: (now: Snapshot) => boolean;
  readonly answer: (reached: boolean) => void;
  readonly fail: (error: unknown) => void;
}
