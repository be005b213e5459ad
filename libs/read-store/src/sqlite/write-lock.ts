/** Lets writers of one file come one after the other, those of another thread too, so that none blocks its thread waiting for another. */
export class WriteLock {
  private last: Promise<unknown> | undefined;

  /** Does the work now when nobody writes, else when it is its turn. */
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
