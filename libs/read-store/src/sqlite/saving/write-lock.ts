/**
 * Runs the writes to one file one after another, including those of the bulk thread, so that no
 * thread blocks while it waits for another.
 */
export class WriteLock {
  private last: Promise<unknown> | undefined;

  /** Runs the work now if no one is writing, otherwise after the writes before it. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const turn =
      this.last === undefined
        ? new Promise<T>((resolve) => resolve(work()))
        : this.last.then(work, work);
    this.last = turn;
    const leave = (): void => {
      if (this.last === turn) this.last = undefined;
    };
    turn.then(leave, leave);
    return turn;
  }
}
