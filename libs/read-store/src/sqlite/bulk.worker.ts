import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { transaction, ChangeNotifier } from '@refledger/sqlite';
import { BuildGone, ReadStoreError, StaleDocument } from '../read-store.js';
import type { BulkAnswer, BulkFailure, BulkOrder } from './bulk.protocol.js';
import { BuildsTable } from './builds-table.js';
import { Gathered } from './gathered.js';
import { GuardedWriter } from './guarded-writer.js';
import { makeLargeIndex } from './make-large-index.js';
import { openForWriting } from './open-for-writing.js';
import { asStoreErrors } from './store-error.js';

/**
 * Runs the thread for long writes: bulk saves, indexes and drops. The caller ensures that nobody
 * else writes while an order runs.
 */
const run = (owner: MessagePort, file: string): void => {
  const db = asStoreErrors(file, () => openForWriting(file));
  const wake = new ChangeNotifier(file);
  const table = new BuildsTable(db);
  const writer = new GuardedWriter(db, table);
  let gathered = new Gathered();

  const written = <T>(work: () => T): T => {
    const result = asStoreErrors(file, () => transaction(db, work));
    wake.notify();
    return result;
  };

  const answerTo = (order: Exclude<BulkOrder, { kind: 'gather' | 'close' }>): BulkAnswer => {
    switch (order.kind) {
      case 'commit': {
        requireAll(order.left, gathered, file);
        const next = gathered.take(order.most);
        const isAllKept = written(() => {
          const kept = next.map((documents) => writer.write(documents));
          if (gathered.left === 0) writer.raise(order.checkpoints);
          return kept.every(Boolean);
        });
        return { kind: 'done', left: gathered.left, isAllKept };
      }
      case 'index':
        written(() => makeLargeIndex(db, order.sql));
        return { kind: 'done', left: 0, isAllKept: true };
      case 'drop':
        written(() => table.drop(order.build));
        return { kind: 'done', left: 0, isAllKept: true };
      case 'sweep':
        written(() => table.dropLeftTables());
        return { kind: 'done', left: 0, isAllKept: true };
    }
  };

  owner.on('message', (order: BulkOrder) => {
    switch (order.kind) {
      case 'gather':
        return gathered.add(order);
      case 'close':
        wake.close();
        db.close();
        return owner.close();
      case 'commit':
      case 'index':
      case 'drop':
      case 'sweep':
        try {
          owner.postMessage(answerTo(order));
        } catch (error) {
          gathered = new Gathered();
          owner.postMessage({ kind: 'failed', failure: failureOf(error) } satisfies BulkAnswer);
        }
    }
  });
};

/**
 * Throws if buffered documents were lost with a thread that ended: the checkpoint must not claim
 * them.
 */
const requireAll = (expected: number, { left }: Gathered, file: string): void => {
  if (left !== expected)
    throw new ReadStoreError(
      'unavailable',
      `${file}: ${left} documents are to be saved, and not ${expected}`,
    );
};

/** Converts an error of the port. Rethrows programming errors, which end the thread. */
const failureOf = (error: unknown): BulkFailure => {
  if (error instanceof BuildGone) return { kind: 'gone', build: error.build };
  if (error instanceof StaleDocument)
    return { kind: 'stale', build: error.build, collection: error.collection, id: error.id };
  if (error instanceof ReadStoreError) return { kind: error.kind, message: error.message };
  throw error;
};

if (parentPort !== null) run(parentPort, workerData as string);
