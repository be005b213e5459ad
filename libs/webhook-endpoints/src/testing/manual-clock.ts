import type { Clock } from '../clock.js';

/** A clock whose time only `advance` moves. Tasks that become due on the way run in order. */
export class ManualClock implements Clock {
  private tasks: { readonly at: number; readonly task: () => void }[] = [];

  constructor(private time = Date.UTC(2026, 0, 1)) {}

  /** The number of tasks that have not run yet. */
  get waiting(): number {
    return this.tasks.length;
  }

  /** The number of tasks that are due in exactly so many milliseconds. */
  dueIn(ms: number): number {
    return this.tasks.filter(({ at }) => at === this.time + ms).length;
  }

  now(): number {
    return this.time;
  }

  random(): number {
    return 0.5;
  }

  schedule(ms: number, task: () => void): () => void {
    const entry = { at: this.time + ms, task };
    this.tasks.push(entry);
    // a task that is already due runs without an `advance`
    if (ms <= 0) setImmediate(() => this.advance(0));
    return () => {
      this.tasks = this.tasks.filter((other) => other !== entry);
    };
  }

  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const [next] = this.tasks.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.tasks = this.tasks.filter((other) => other !== next);
      this.time = Math.max(this.time, next.at);
      next.task();
    }
    this.time = end;
  }
}
