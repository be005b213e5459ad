import type { StreamName } from '@refledger/contracts';
import type { Appended, EventLog, Expected, NewEvent } from '../event-log.js';

/**
 * Test double: a log whose appends wait one at a time for `step`. Everything else goes to the real
 * log.
 */
export class SteppedLog {
  private readonly waiting: (() => void)[] = [];
  private readonly arrivals: (() => void)[] = [];
  appends = 0;

  static before(log: EventLog): { readonly log: EventLog; readonly steps: SteppedLog } {
    const steps = new SteppedLog();
    const append = (
      stream: StreamName,
      events: readonly NewEvent[],
      expected: Expected,
    ): Promise<Appended> => steps.gate().then(() => log.append(stream, events, expected));
    const get = (target: EventLog, name: string): unknown => {
      const value: unknown = Reflect.get(target, name);
      return name === 'append'
        ? append
        : typeof value === 'function'
          ? (value as () => unknown).bind(target)
          : value;
    };
    return { steps, log: new Proxy(log, { get: (target, name) => get(target, String(name)) }) };
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
