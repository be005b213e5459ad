import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { CallServer, callsTo, ChangeNotifier, transaction, type Database } from '@refledger/sqlite';
import { ReadStoreError, type Build } from '../../read-store.js';
import { BuildsTable } from '../builds-table.js';
import { asStoreErrors } from '../store-error.js';
import { failureOf } from './bulk-failure.js';
import { WriteBuffer } from './write-buffer.js';
import { GuardedWriter, type BuildCheckpoint, type EncodedCollection } from './guarded-writer.js';
import { openForWriting } from './open-for-writing.js';

interface Commit {
  readonly limit: number;
  readonly left: number;
  readonly checkpoints: readonly BuildCheckpoint[];
}

/**
 * The thread for long writes: bulk saves, indexes and drops. The caller ensures that no one else
 * writes while a call runs.
 */
const bulkWrites = (file: string) => {
  const db = asStoreErrors(file, () => openForWriting(file));
  const notifier = new ChangeNotifier(file);
  const table = new BuildsTable(db);
  const writer = new GuardedWriter(db, table);
  let buffer = new WriteBuffer();

  const written = <T>(work: () => T): T => {
    const result = asStoreErrors(file, () => transaction(db, work));
    notifier.notify();
    return result;
  };

  const methods = {
    /** Buffers documents for later commits. */
    gather: (documents: EncodedCollection): void => buffer.add(documents),
    /**
     * Writes at most `limit` of the buffered documents. Exactly `left` documents must be buffered.
     * The transaction of the last documents also raises the checkpoints. Returns the number of
     * documents still to be written.
     */
    commit({ limit, left, checkpoints }: Commit) {
      requireAll(left, buffer, file);
      const next = buffer.take(limit);
      const isAllKept = written(() => {
        const kept = next.map((documents) => writer.write(documents));
        if (buffer.left === 0) writer.raise(checkpoints);
        return kept.every(Boolean);
      });
      return { left: buffer.left, isAllKept };
    },
    /** Runs a statement that creates an index. */
    index: (sql: string): void => written(() => makeLargeIndex(db, sql)),
    drop: (build: Build): void => written(() => table.drop(build)),
    /** Drops the tables of builds that no longer exist. */
    sweep: (): void => written(() => table.dropLeftoverTables()),
  };
  return {
    methods,
    forget: () => void (buffer = new WriteBuffer()),
    close: () => {
      notifier.close();
      db.close();
    },
  };
};

export type BulkWrites = ReturnType<typeof bulkWrites>['methods'];

const run = (owner: MessagePort, file: string): void => {
  const { methods, forget, close } = bulkWrites(file);
  new CallServer<BulkWrites>(owner, {
    perform: callsTo(methods),
    failureOf: (error) => {
      forget();
      return failureOf(error);
    },
    onClose: close,
  });
};

/**
 * Throws if buffered documents were lost with a thread that ended: the checkpoint must not claim
 * them.
 */
const requireAll = (expected: number, { left }: WriteBuffer, file: string): void => {
  if (left !== expected)
    throw new ReadStoreError(
      'unavailable',
      `${file}: ${left} documents are buffered, but ${expected} were expected`,
    );
};

if (parentPort !== null) run(parentPort, workerData as string);

/**
 * Makes an index of a large table. SQLite sorts in runs as large as its cache. Runs that also fit
 * the CPU cache sort fastest, so this sets 2 MB, and two threads sort. The caller opens the
 * transaction.
 */
const makeLargeIndex = (db: Database, sql: string): void => {
  const usual = db.prepare<{ cache_size: number }>('PRAGMA cache_size').get()?.cache_size ?? -2000;
  db.exec('PRAGMA cache_size = -2048; PRAGMA threads = 2');
  try {
    db.exec(sql);
  } finally {
    db.exec(`PRAGMA cache_size = ${usual}; PRAGMA threads = 0`);
  }
};
