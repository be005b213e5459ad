import type { ChangeNotifier } from '@refledger/sqlite';

/** How soon a change by another process is noticed: it can't notify this one. */
const pollMs = 20;

/** Lets many requests wait for the store to reach a state. All share one look at each change. */
export class PositionWaiters<Snapshot> {
  private readonly waiting = new Set<Waiting<Snapshot>>();
  private running = false;
  private closed = false;

  constructor(
    private readonly wake: ChangeNotifier,
    private readonly look: () => Snapshot,
    /** Called whenever requests still wait after a look. */
    private readonly onWait: () => void,
  ) {}

  /**
   * True once `isReached` accepts what `look` returns. False if the time is up, the signal is
   * aborted or the waiters are closed.
   */
  until(
    isReached: (now: Snapshot) => boolean,
    {
      timeoutMs,
      signal,
    }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<boolean> {
    const since = this.wake.count;
    if (isReached(this.look())) return Promise.resolve(true);
    if (timeoutMs <= 0 || this.closed || signal?.aborted === true) return Promise.resolve(false);
    return new Promise((resolve, reject) => {
      const abort = (): void => waiting.settle(() => resolve(false));
      const waiting: Waiting<Snapshot> = {
        isReached,
        deadline: performance.now() + timeoutMs,
        answer: (reached) => waiting.settle(() => resolve(reached)),
        fail: (error) =>
          waiting.settle(() => reject(error instanceof Error ? error : new Error(String(error)))),
        settle: (how) => {
          this.waiting.delete(waiting);
          signal?.removeEventListener('abort', abort);
          how();
        },
      };
      signal?.addEventListener('abort', abort);
      this.waiting.add(waiting);
      if (!this.running) void this.run(since);
    });
  }

  close(): void {
    this.closed = true;
    for (const waiting of this.waiting) waiting.answer(false);
  }

  private async run(since: number): Promise<void> {
    this.running = true;
    while (this.waiting.size > 0) {
      this.onWait();
      await this.wake.wait({ since, timeoutMs: this.pause() });
      since = this.wake.count;
      this.answerAll();
    }
    this.running = false;
  }

  private pause(): number {
    const now = performance.now();
    let sleep = pollMs;
    for (const { deadline } of this.waiting) sleep = Math.min(sleep, Math.max(0, deadline - now));
    return sleep;
  }

  private answerAll(): void {
    try {
      const snapshot = this.look();
      const now = performance.now();
      for (const waiting of this.waiting) {
        if (waiting.isReached(snapshot)) waiting.answer(true);
        else if (waiting.deadline <= now) waiting.answer(false);
      }
    } catch (error) {
      for (const waiting of this.waiting) waiting.fail(error);
    }
  }
}

interface Waiting<Snapshot> {
  readonly isReached: (now: Snapshot) => boolean;
  readonly deadline: number;
  readonly answer: (reached: boolean) => void;
  readonly fail: (error: unknown) => void;
  readonly settle: (how: () => void) => void;
}
