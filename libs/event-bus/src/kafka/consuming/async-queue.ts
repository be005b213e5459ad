/**
 * Passes items from producers to one consumer, one at a time. Asking for the next item marks the
 * previous one as handled.
 */
export class AsyncQueue<T> {
  private readonly waiting: QueuedItem<T>[] = [];
  private inProgress: QueuedItem<T> | undefined;
  private failure: { readonly error: unknown } | undefined;
  private closed = false;
  private wake: () => void = () => undefined;

  /** Resolves once the item has been handled, or never will be. */
  put(item: T): Promise<void> {
    if (this.closed) return Promise.resolve();
    return new Promise((done) => {
      this.waiting.push({ item, done });
      this.wake();
    });
  }

  /** Ends the iteration with an error, after the items that were put before. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.wake();
  }

  /** Ends the iteration. */
  close(): void {
    this.closed = true;
    for (const { done } of this.waiting.splice(0)) done();
    this.inProgress?.done();
    this.wake();
  }

  async *items(): AsyncGenerator<T> {
    for (;;) {
      this.inProgress?.done();
      if (this.closed) return;
      this.inProgress = this.waiting.shift();
      if (this.inProgress !== undefined) yield this.inProgress.item;
      else if (this.failure !== undefined) throw this.failure.error;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

interface QueuedItem<T> {
  readonly item: T;
  readonly done: () => void;
}
