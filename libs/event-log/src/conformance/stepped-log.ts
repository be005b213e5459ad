import type { EventLog } from '../event-log.js';
import { withAppend } from './with-append.js';

/**
 * Test double: a log whose appends wait one at a time for `step`. Everything else goes to the real
 * log.
 */
export class SteppedLog {
  private readonly waiting: (() => void)[] = [];
  private readonly arrivals: (() => void)[] = [];
  appends = 0;

  static wrap(log: EventLog): { readonly log: EventLog; readonly steps: SteppedLog } {
    const steps = new SteppedLog();
    const append: EventLog['append'] = (...args) => steps.gate().then(() => log.append(...args));
    return { steps, log: withAppend(log, append) };
  }

  /** Lets the next append through once it has been called. False when `ended` settles first. */
  async step(ended: Promise<unknown>): Promise<boolean> {
    const more = await this.arrived(ended);
    if (more) this.waiting.shift()?.();
    return more;
  }

  /**
   * Waits until the next append has been called, and so the previous one has returned. False when
   * `ended` settles first.
   */
  arrived(ended: Promise<unknown>): Promise<boolean> {
    const arrived =
      this.waiting.length > 0
        ? Promise.resolve(true)
        : new Promise<boolean>((resolve) => this.arrivals.push(() => resolve(true)));
    const none = (): boolean => false;
    return Promise.race([arrived, ended.then(none, none)]);
  }

  private gate(): Promise<void> {
    this.appends++;
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.arrivals.shift()?.();
    });
  }
}
