/** Lets callers wait for the next change of a memory that they share. */
export class Changes {
  private readonly waiting = new Set<() => void>();

  notify(): void {
    for (const wake of [...this.waiting]) wake();
  }

  /** Resolves after the next change, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
