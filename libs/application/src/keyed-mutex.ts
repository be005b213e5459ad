/**
 * Runs tasks with the same key one after another, and tasks with different keys concurrently, so
 * that commands of one gateway don't race each other on a stream.
 */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>();

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.last.get(key);
    const running = before === undefined ? task() : before.then(task, task);
    this.last.set(key, running);
    const release = (): void => {
      if (this.last.get(key) === running) this.last.delete(key);
    };
    running.then(release, release);
    return running;
  }
}
