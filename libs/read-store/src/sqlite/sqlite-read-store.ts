import { setImmediate as nextTurn } from 'node:timers/promises';
import { comparePositions, type LogId, type Position } from '@refledger/contracts';
import { openDatabase, transaction, Wake, type Database } from '@refledger/sqlite';
import { chooseIndex, declares } from '../choose-index.js';
import { ViewUnreadable, type Build, type BuildChanges, type CollectionSpec, type Document, type Found, type IndexSpec, type Query, type ReadStore, type StoredDocument, type ViewSpec } from '../read-store.js';
import { buildingBuild, readableBuild } from '../readable-build.js';
import { BuildsTable, type StoredBuild } from './builds-table.js';
import { fieldsOf, saveInto, tableOf } from './collection-table.js';
import { toDocument, toStored, type DocumentRow } from './document-row.js';
import { collectionOf, findSql } from './find-sql.js';
import { readModelsFormat } from './read-store.format.js';
import { Reach } from './reach.js';
import { scanCollection } from './scan.js';
import { StatementCache } from './statement-cache.js';
import { asStoreErrors } from './store-error.js';
import { toColumn, toInteger, type SqlValue } from './values.js';

export interface SqliteReadStoreOptions {
  readonly file: string;
  /** `read` refuses writes. Both make an empty store when there is none, so it doesn't matter which thread comes first. */
  readonly mode: 'write' | 'read';
}

/** 32 MB of the write-ahead log: pages that are written again and again go into the file once. */
const pagesBeforeCheckpoint = 8192;

/**
 * Opens the read models in one SQLite file. The connection works in the calling thread. Documents and checkpoint of a save are
 * one transaction, so the file is consistent after any crash; the last saves may be lost with the machine's power and are then folded again.
 */
export const openSqliteReadStore = ({ file, mode }: SqliteReadStoreOptions): Promise<ReadStore> => {
  const open = (): ReadStore => {
    const db = openDatabase(file, { format: readModelsFormat, synchronous: 'normal', cacheBytes: 32 * 1024 * 1024 });
    db.exec(mode === 'read' ? 'PRAGMA query_only = ON' : `PRAGMA wal_autocheckpoint = ${pagesBeforeCheckpoint}`);
    return new SqliteReadStore(db);
  };
  return promised(() => asStoreErrors(file, open));
};

class SqliteReadStore implements ReadStore {
  private readonly wake: Wake;
  private readonly table: BuildsTable;
  private readonly statements: StatementCache;
  private readonly reach: Reach<readonly StoredBuild[]>;

  constructor(private readonly db: Database) {
    this.wake = new Wake(db.file);
    this.table = new BuildsTable(db);
    this.statements = new StatementCache(db);
    this.reach = new Reach(this.wake, () => asStoreErrors(db.file, () => this.table.all()));
  }

  builds(view: string): Promise<readonly Build[]> {
    return this.reading(() => this.table.ofView(view));
  }

  createBuild(view: ViewSpec, logId: LogId, cause: string): Promise<Build> {
    return this.writing(() => this.table.create(view, logId, cause));
  }

  /** One index at a time, so that others get their turns in between. */
  async goLive(build: Build): Promise<boolean> {
    for (const sql of await this.reading(() => this.table.indexes(build))) {
      await this.writing(() => this.db.exec(sql));
      await nextTurn();
    }
    return this.writing(() => this.table.goLive(build));
  }

  dropBuild(build: Build): Promise<void> {
    return this.writing(() => this.table.drop(build));
  }

  load(build: Build, collection: string, ids: readonly string[]): Promise<readonly StoredDocument[]> {
    return this.reading(() => {
      this.table.present(build);
      const select = `SELECT id, CAST(position AS TEXT) AS position, document FROM ${tableOf(build, collection)} WHERE id IN (SELECT value FROM json_each(?))`;
      return (this.statements.get(select).all(JSON.stringify(ids)) as unknown as DocumentRow[]).map(toStored);
    });
  }

  save(changes: readonly BuildChanges[]): Promise<boolean> {
    return this.writing(() => {
      let isAllKept = true;
      for (const { build, documents, checkpoint } of changes) {
        const { collections } = this.table.present(build);
        for (const [name, saved] of documents) isAllKept = this.saveAll(build, collectionOf(collections, name), saved) && isAllKept;
        this.table.raise(build, checkpoint);
      }
      return isAllKept;
    });
  }

  scan(build: Build, collection: string): ReturnType<ReadStore['scan']> {
    return scanCollection(this.db.file, build, collection);
  }

  get(view: ViewSpec, logId: LogId, collection: string, id: string): Promise<Found<Document | undefined>> {
    return this.fromReadable(view, logId, (build) => {
      if (!build.collections.some(({ name }) => name === collection)) return undefined;
      const row = this.statements.get(`SELECT document FROM ${tableOf(build, collection)} WHERE id = ?`).get(id) as { document: string | null } | undefined;
      return { value: row === undefined || row.document === null ? undefined : toDocument(row.document) };
    });
  }

  find(view: ViewSpec, logId: LogId, collection: string, query: Query): Promise<Found<readonly Document[]>> {
    return this.fromReadable(view, logId, (build) => {
      const index = indexFor(view, build, collection, query);
      if (index === undefined) return undefined;
      const sql = findSql(tableOf(build, collection), index, query);
      const rows = this.statements.get(sql.text).all(...sql.values) as unknown as { document: string }[];
      return { value: rows.map((row) => toDocument(row.document)) };
    });
  }

  reached(view: ViewSpec, logId: LogId, position: Position, options: { readonly timeoutMs: number; readonly signal?: AbortSignal }): Promise<boolean> {
    return this.reach.until((builds) => {
      const checkpoint = readableBuild(builds.filter((build) => build.view === view.name), view, logId)?.checkpoint;
      return checkpoint !== undefined && comparePositions(checkpoint.position, position) >= 0;
    }, options);
  }

  close(): Promise<void> {
    this.reach.close();
    this.wake.close();
    if (this.db.isOpen) this.db.close();
    return Promise.resolve();
  }

  private saveAll(build: Build, collection: CollectionSpec, documents: readonly StoredDocument[]): boolean {
    let isAllKept = true;
    const statement = this.statements.get(saveInto(tableOf(build, collection.name), collection));
    const fields = fieldsOf(collection);
    const values: SqlValue[] = [];
    for (const { id, position, document } of documents) {
      values.length = 0;
      values.push(id, toInteger(position), document === null ? null : JSON.stringify(document));
      for (const field of fields) values.push(document === null ? null : toColumn(document[field], field));
      if (statement.run(...values).changes === 0) isAllKept = false;
    }
    return isAllKept;
  }

  /** Build, documents and position are of one instant, so a switch of builds or a drop never shows. `undefined` says that this build can't answer. */
  private fromReadable<T>(view: ViewSpec, logId: LogId, read: (build: StoredBuild) => { readonly value: T } | undefined): Promise<Found<T>> {
    return this.reading(() => {
      const builds = this.table.ofView(view.name);
      const build = readableBuild(builds, view, logId);
      const answer = build && read(build);
      if (answer === undefined) throw new ViewUnreadable(view.name, buildingBuild(builds, view, logId)?.checkpoint?.position);
      return { value: answer.value, position: build?.checkpoint?.position };
    });
  }

  private reading<T>(work: () => T): Promise<T> {
    return promised(() => asStoreErrors(this.db.file, () => readTransaction(this.statements, work)));
  }

  private writing<T>(work: () => T): Promise<T> {
    return promised(() => {
      const result = asStoreErrors(this.db.file, () => transaction(this.db, work));
      this.wake.notify();
      return result;
    });
  }
}

/** The port is asynchronous, this engine is not. */
const promised = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(work()));

const readTransaction = <T>(statements: StatementCache, work: () => T): T => {
  statements.get('BEGIN').run();
  try {
    return work();
  } finally {
    statements.get('COMMIT').run();
  }
};

/** Throws `TypeError` for a query that the view doesn't declare; undefined when only this (older) build can't serve it. */
const indexFor = (view: ViewSpec, build: StoredBuild, collection: string, query: Query): IndexSpec | undefined => {
  if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > 1000) throw new TypeError('a limit is 1 to 1000');
  const index = chooseIndex(collectionOf(view.collections, collection), query);
  if (index === undefined) throw new TypeError(`no index of ${collection} serves this query`);
  if (build.version === view.version) return index;
  const older = build.collections.find(({ name }) => name === collection);
  return older && declares(older, query) ? chooseIndex(older, query) : undefined;
};
