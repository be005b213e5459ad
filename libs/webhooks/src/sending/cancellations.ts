/**
 * Shares one listener per signal among all requests: a signal with hundreds of listeners searches
 * all of them whenever another one is added.
 */
export class Cancellations {
  private readonly waiting = new WeakMap<AbortSignal, Set<() => void>>();

  /** Runs `cancel` once when the signal aborts. Returns a function that removes it. */
  onCancel(signal: AbortSignal, cancel: () => void): () => void {
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
