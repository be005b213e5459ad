import type { KeyId, LogId } from '@refledger/contracts';
import { ChangeNotifier, retryWhileBusy, tryTransaction, type Database } from '@refledger/sqlite';
import type { OpenReadStoreOptions } from '../open-read-store-options.js';
import { collectionOf } from '../plan-query.js';
import type {
  Build,
  BuildChanges,
  CollectionSpec,
  KeyUses,
  ReadStore,
  ProjectionSpec,
} from '../read-store.js';
import { isReadableUpTo, type StoredBuild } from '../readable-build.js';
import { BuildsTable } from './builds-table.js';
import { BulkSave } from './saving/bulk-save.js';
import { BulkThread } from './saving/bulk-thread.js';
import { tableOf } from './collection-table.js';
import { documentColumns, toStored, type DocumentRow } from './document-row.js';
import { encodeDocuments } from './encode-documents.js';
import { evenIfQueryOnly, KeyUsesTable } from './key-uses-table.js';
import { GuardedWriter } from './saving/guarded-writer.js';
import { openForWriting } from './saving/open-for-writing.js';
import { promised } from './promised.js';
import { PositionWaiters } from '../position-waiters.js';
import { ReadableDocuments } from './finding/readable-documents.js';
import { scanCollection } from './finding/scan.js';
import { statementCache, type StatementCache } from './statement-cache.js';
import { asStoreErrors, toStoreError } from './store-error.js';
import { TickSnapshot } from './finding/tick-snapshot.js';
import { WriteLock } from './saving/write-lock.js';

export interface SqliteReadStoreOptions extends Pick<OpenReadStoreOptions, 'mode'> {
  readonly file: string;
}

/** More documents than this go to the bulk thread: saves to unread builds, indexes and drops. */
const bulkThreshold = 2_000;

/**
 * Opens the read models in one SQLite file, on a connection of the calling thread. A save is one
 * transaction; a bulk save takes several, of which the last raises the checkpoint. So the file is
 * consistent after any crash. A power failure may lose the last saves; their events are folded
 * again.
 */
export const openSqliteReadStore = ({ file, mode }: SqliteReadStoreOptions): Promise<ReadStore> => {
  const open = (): ReadStore => {
    const db = openForWriting(file);
    if (mode === 'read') {
      db.exec('PRAGMA query_only = ON');
      // the thread that reads serves requests, so another one copies the write-ahead log into the
      // file
      db.exec('PRAGMA wal_autocheckpoint = 0');
    }
    return new SqliteReadStore(db);
  };
  return promised(() => asStoreErrors(file, open));
};

class SqliteReadStore implements ReadStore {
  /** The lock of the data directory admits only one process. */
  readonly capabilities = { instantScans: true, leases: false };
  private readonly notifier: ChangeNotifier;
  private readonly table: BuildsTable;
  private readonly statements: StatementCache;
  private readonly snapshot: TickSnapshot;
  private readonly readable: ReadableDocuments;
  private readonly positionWaiters: PositionWaiters<readonly StoredBuild[]>;
  private readonly writer: GuardedWriter;
  private readonly keyUsesTable: KeyUsesTable;
  private readonly bulk: BulkThread;
  private readonly turns = new WriteLock();
  private readonly bulks = new WriteLock();

  constructor(private readonly db: Database) {
    this.notifier = new ChangeNotifier(db.file);
    this.table = new BuildsTable(db);
    this.statements = statementCache(db);
    this.snapshot = new TickSnapshot(db, this.statements, this.table);
    this.readable = new ReadableDocuments(db, this.snapshot, this.statements);
    this.writer = new GuardedWriter(db, this.table);
    this.keyUsesTable = new KeyUsesTable(db);
    this.bulk = new BulkThread(db.file);
    const readBuilds = (): readonly StoredBuild[] =>
      asStoreErrors(db.file, () => {
        this.snapshot.end();
        return this.table.all();
      });
    this.positionWaiters = new PositionWaiters(this.notifier, 20, readBuilds);
  }

  builds(projection: string): Promise<readonly Build[]> {
    return this.reading(() => this.table.ofProjection(projection));
  }

  async createBuild(projection: ProjectionSpec, logId: LogId, cause: string): Promise<Build> {
    // Sweep first: a build with an earlier layout may have had the same id.
    if ((await this.reading(() => this.table.leftoverTables())).length > 0)
      await this.turns.run(() => this.bulk.call('sweep'));
    return this.writing(() => this.table.create(projection, logId, cause));
  }

  async goLive(build: Build): Promise<boolean> {
    const isLarge = await this.isLarge(build);
    for (const sql of await this.reading(() => this.table.indexes(build))) {
      if (isLarge) await this.turns.run(() => this.bulk.call('index', sql));
      else await this.writing(() => this.db.exec(sql));
    }
    return this.writing(() => this.table.goLive(build));
  }

  async dropBuild(build: Build): Promise<void> {
    if (await this.isLarge(build)) await this.turns.run(() => this.bulk.call('drop', build));
    else await this.writing(() => this.table.drop(build));
  }

  readonly load: ReadStore['load'] = (build, collection, ids) =>
    this.reading(() => {
      this.table.present(build);
      const select = `SELECT ${documentColumns} FROM ${tableOf(build, collection)} WHERE id IN (SELECT value FROM json_each(?))`;
      return this.statements.prepare<DocumentRow>(select).all(JSON.stringify(ids)).map(toStored);
    });

  save(changes: readonly BuildChanges[]): Promise<boolean> {
    const count = changes.reduce(
      (sum, { documents }) => [...documents.values()].reduce((of, { length }) => of + length, sum),
      0,
    );
    if (count > bulkThreshold && changes.every(({ build }) => build.state === 'building'))
      return this.bulks.run(() => this.saveInBulk(changes, count));
    return this.writing(() => {
      for (const each of changes) this.writer.check(each);
      let isAllKept = true;
      for (const { build, documents } of changes) {
        for (const [collection, saved] of documents) {
          isAllKept =
            this.writer.write({
              build,
              collection,
              documents: encodeDocuments(
                collectionOf(this.table.collections(build), collection),
                saved,
              ),
            }) && isAllKept;
        }
      }
      this.writer.raise(changes);
      return isAllKept;
    });
  }

  scan(build: Build, collection: string): ReturnType<ReadStore['scan']> {
    return scanCollection(this.db.file, build, collection);
  }

  readonly get: ReadStore['get'] = (...query) => this.readable.get(...query);

  readonly find: ReadStore['find'] = (...query) => this.readable.find(...query);

  readonly findJson: ReadStore['findJson'] = (...query) => this.readable.findJson(...query);

  readonly waitForPosition: ReadStore['waitForPosition'] = (projection, logId, position, options) =>
    this.positionWaiters.waitUntil(
      (builds) => isReadableUpTo(position, builds, projection, logId),
      options,
    );

  holdLease(): Promise<boolean> {
    return Promise.resolve(true);
  }

  releaseLease(): Promise<void> {
    return Promise.resolve();
  }

  recordKeyUses(uses: KeyUses): Promise<void> {
    return this.writing(
      () => this.keyUsesTable.record(uses),
      (attempt) => evenIfQueryOnly(this.db, attempt),
    );
  }

  keyUses(ids: readonly KeyId[]): Promise<KeyUses> {
    return this.reading(() => this.keyUsesTable.select(ids));
  }

  async close(): Promise<void> {
    this.positionWaiters.close();
    this.notifier.close();
    await this.turns.run(() => this.bulk.close());
    this.snapshot.end();
    if (this.db.isOpen) this.db.close();
  }

  private async saveInBulk(changes: readonly BuildChanges[], count: number): Promise<boolean> {
    await this.reading(() => changes.forEach((each) => this.writer.check(each)));
    const specOf = async (build: Build, collection: string): Promise<CollectionSpec> =>
      collectionOf(await this.reading(() => this.table.collections(build)), collection);
    return new BulkSave(this.bulk, this.turns, specOf).run(changes, count);
  }

  private isLarge(build: Build): Promise<boolean> {
    return this.reading(() => this.table.holdsMoreThan(build, bulkThreshold));
  }

  /** Reads the newest state: a writer must see changes to builds made within the same tick. */
  private reading<T>(work: () => T): Promise<T> {
    return promised(() =>
      asStoreErrors(this.db.file, () => {
        this.snapshot.end();
        return this.snapshot.read(work);
      }),
    );
  }

  private writing<T>(work: () => T, permit = (attempt: () => T): T => attempt()): Promise<T> {
    const attempt = (): T => {
      // a read may have started a transaction since the last attempt
      this.snapshot.end();
      return permit(() => tryTransaction(this.db, work));
    };
    return this.turns.run(async () => {
      const result = await retryWhileBusy(attempt).catch((error: unknown) => {
        throw toStoreError(error, this.db.file);
      });
      this.notifier.notify();
      return result;
    });
  }
}
