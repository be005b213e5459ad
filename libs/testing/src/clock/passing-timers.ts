/** A timer that ends when its time has passed, be it real or only in a test. */
export interface PassingTimer {
  unref(): PassingTimer;
}

interface PendingTimer extends PassingTimer {
  readonly dueAt: number;
  readonly task: () => void;
  real: NodeJS.Timeout | undefined;
}

/**
 * Timers by a clock that `now` reads, in milliseconds since any instant. It runs like the real one,
 * and may also jump forward: call `jumped` then. Several timers that a jump ends run in the order
 * in which they are due. No timer keeps the process running.
 */
export class PassingTimers {
  private readonly pending = new Set<PendingTimer>();

  constructor(private readonly now: () => number) {}

  readonly set = (task: () => void, ms = 0): PassingTimer => {
    const timer: PendingTimer = {
      dueAt: this.now() + ms,
      task,
      real: undefined,
      unref: () => timer,
    };
    this.pending.add(timer);
    this.arm(timer);
    return timer;
  };

  readonly clear = (timer: PassingTimer | undefined): void => {
    const pending = timer as PendingTimer | undefined;
    if (pending === undefined || !this.pending.delete(pending)) return;
    clearTimeout(pending.real);
  };

  /** Waits again for each timer, for the time that is left after a jump. */
  jumped(): void {
    for (const timer of [...this.pending].sort((one, other) => one.dueAt - other.dueAt)) {
      clearTimeout(timer.real);
      this.arm(timer);
    }
  }

  private arm(timer: PendingTimer): void {
    timer.real = setTimeout(
      () => {
        this.pending.delete(timer);
        timer.task();
      },
      Math.max(0, timer.dueAt - this.now()),
    ).unref();
  }
}
