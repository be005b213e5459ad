import { transaction, type Database } from '@refledger/sqlite';
import { toStoreError } from './store-error.js';

/** Writes that are asked for together share one transaction, and so one fsync; yet each succeeds or fails alone. */
export class GroupCommit {
  private waiting: Task[] = [];

  constructor(private readonly db: Database) {}

  /** Resolves once what `work` did is durable. */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ perform: () => { const value = work(); return () => resolve(value); }, reject });
      if (this.waiting.length === 1) setImmediate(() => this.commit());
    });
  }

  /** Writes at once what waits. */
  commit(): void {
    const group = this.waiting.splice(0);
    if (group.length === 0) return;
    let answers: (() => void)[];
    try {
      answers = transaction(this.db, () => group.map((task) => this.perform(task)));
    } catch (error) {
      const told = toStoreError(error, this.db.file);
      answers = group.map(({ reject }) => () => reject(told));
    }
    for (const answer of answers) answer();
  }

  private perform({ perform, reject }: Task): () => void {
    this.db.exec('SAVEPOINT one');
    try {
      return perform();
    } catch (error) {
      // some errors (a full disk) end the whole transaction
      if (!this.db.isTransaction) throw error;
      this.db.exec('ROLLBACK TO one');
      return () => reject(toStoreError(error, this.db.file));
    } finally {
      if (this.db.isTransaction) this.db.exec('RELEASE one');
    }
  }
}

interface Task {
  /** Does the work; what it answers tells of it, once it is committed. */
  readonly perform: () => () => void;
  readonly reject: (error: unknown) => void;
}
