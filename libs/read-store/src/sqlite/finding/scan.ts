import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { openDatabase } from '@refledger/sqlite';
import type { Build, ScanPage } from '../../read-store.js';
import { BuildsTable } from '../builds-table.js';
import { notGone, tableOf } from '../collection-table.js';
import { readModelsFormat } from '../read-store.format.js';
import { documentColumns, toStored } from '../document-row.js';
import { asStoreErrors } from '../store-error.js';

const pageSize = 500;

/**
 * Yields all documents of a collection by id. A separate connection reads them in one transaction,
 * which ends with the iteration.
 */
export async function* scanCollection(
  file: string,
  build: Build,
  collection: string,
): AsyncGenerator<ScanPage> {
  const db = asStoreErrors(file, () =>
    openDatabase(file, { format: readModelsFormat, synchronous: 'normal', readOnly: true }),
  );
  try {
    db.exec('BEGIN');
    const { checkpoint } = new BuildsTable(db).present(build);
    const page = db.prepare<Row>(
      `SELECT ${documentColumns} FROM ${tableOf(build, collection)} WHERE id > ? AND ${notGone} ORDER BY id LIMIT ${pageSize}`,
    );
    // Arrays are read nearly twice as fast as objects.
    page.setReturnArrays(true);
    let after = '';
    for (;;) {
      const rows = asStoreErrors(file, () => page.all(after));
      const documents = rows.map(([id, position, record, internal]) =>
        toStored({ id, position, record, internal }),
      );
      yield { documents, checkpoint };
      if (rows.length < pageSize) return;
      after = rows.at(-1)?.[0] ?? after;
      await yieldToEventLoop();
    }
  } finally {
    db.close();
  }
}

type Row = readonly [id: string, position: string, record: string | null, internal: string | null];
