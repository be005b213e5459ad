/** Hands items from who makes them to the one who takes them, one at a time: taken is dealt with once the next is asked for. */
export class AsyncQueue<T> {
  private readonly waiting: Waiting<T>[] = [];
  private underWay: Waiting<T> | undefined;
  private failure: { readonly error: unknown } | undefined;
  private closed = false;
  private wake: () => void = () => undefined;

  /** Resolves once the item was dealt with, or never will be. */
  put(item: T): Promise<void> {
    if (this.closed) return Promise.resolve();
    return new Promise((done) => {
      this.waiting.push({ item, done });
      this.wake();
    });
  }

  /** Ends the taking with an error, after what was put before. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.wake();
  }

  /** Ends the taking. */
  close(): void {
    this.closed = true;
    for (const { done } of this.waiting.splice(0)) done();
    this.underWay?.done();
    this.wake();
  }

  async *items(): AsyncGenerator<T> {
    for (;;) {
      this.underWay?.done();
      if (this.closed) return;
      this.underWay = this.waiting.shift();
      if (this.underWay !== undefined) yield this.underWay.item;
      else if (this.failure !== undefined) throw this.failure.error;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

interface Waiting<T> {
  readonly item: T;
  readonly done: () => void;
}
