import type { Clock } from '../src/load/clock.js';

/** A clock that jumps to the next awaited instant as soon as nothing else is left to do. */
export class VirtualClock implements Clock {
  private time = 0;
  private readonly waiting: { readonly instant: number; readonly resolve: () => void }[] = [];

  now(): number {
    return this.time;
  }

  sleepUntil(instant: number): Promise<void> {
    return instant <= this.time
      ? Promise.resolve()
      : new Promise((resolve) => this.waiting.push({ instant, resolve }));
  }

  /** Lets time pass until the promise settles. */
  async runUntil<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const end = (): void => void (settled = true);
    promise.then(end, end);
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (settled) return promise;
      const next = this.waiting.sort((a, b) => a.instant - b.instant).shift();
      if (next === undefined) throw new Error('everything waits for something that never happens');
      this.time = next.instant;
      next.resolve();
    }
  }
}
