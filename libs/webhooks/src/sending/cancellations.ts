/** One listener to a signal for all that wait for it: a signal with hundreds of listeners looks through them all for each one more. */
export class Cancellations {
  private readonly waiting = new WeakMap<AbortSignal, Set<() => void>>();

  /** Runs `cancel` once when the signal aborts. The answer takes that back. */
  hear(signal: AbortSignal, cancel: () => void): () => void {
    const all = this.waiting.get(signal) ?? this.listen(signal);
    all.add(cancel);
    return () => void all.delete(cancel);
  }

  private listen(signal: AbortSignal): Set<() => void> {
    const all = new Set<() => void>();
    this.waiting.set(signal, all);
    signal.addEventListener(
      'abort',
      () => {
        for (const cancel of all) cancel();
      },
      { once: true },
    );
    return all;
  }
}
