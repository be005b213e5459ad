/** The changes that this process notices by itself. */
export interface Changes {
  /** How many changes were noticed. */
  readonly count: number;
  /** Resolves once the count has moved on from `since`, or when the time is up. */
  wait(options: { readonly since: number; readonly timeoutMs: number }): Promise<unknown>;
}

/** Lets many requests wait for the store to reach a state. All share one query at a time. */
export class PositionWaiters<Snapshot> {
  private readonly waiting = new Set<Waiter<Snapshot>>();
  private running = false;
  private closed = false;

  constructor(
    private readonly wake: Changes,
    /** How soon a change by another process is noticed: it can't notify this one. */
    private readonly pollMs: number,
    private readonly look: () => Snapshot | Promise<Snapshot>,
  ) {}

  /**
   * True once `isReached` accepts what `look` returns. False if the time is up, the signal is
   * aborted or the waiters are closed.
   */
  async waitUntil(
    isReached: (now: Snapshot) => boolean,
    {
      timeoutMs,
      signal,
    }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    const since = this.wake.count;
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
      const waiting: Waiter<Snapshot> = {
        isReached,
        answer: (reached) => settle(() => resolve(reached)),
        fail: (error) =>
          settle(() => reject(error instanceof Error ? error : new Error(String(error)))),
      };
      signal?.addEventListener('abort', give);
      this.waiting.add(waiting);
      if (!this.running) void this.run(since);
    });
  }

  close(): void {
    this.closed = true;
    for (const waiting of this.waiting) waiting.answer(false);
  }

  private async run(first: number): Promise<void> {
    this.running = true;
    for (let since = first; this.waiting.size > 0;) {
      await this.wake.wait({ since, timeoutMs: this.pollMs });
      since = this.wake.count;
      if (this.waiting.size > 0) await this.resolveReached();
    }
    this.running = false;
  }

  private async resolveReached(): Promise<void> {
    try {
      const snapshot = await this.look();
      for (const waiting of this.waiting) if (waiting.isReached(snapshot)) waiting.answer(true);
    } catch (error) {
      for (const waiting of this.waiting) waiting.fail(error);
    }
  }
}

interface Waiter<Snapshot> {
  readonly isReached: (now: Snapshot) => boolean;
  readonly answer: (reached: boolean) => void;
  readonly fail: (error: unknown) => void;
}
