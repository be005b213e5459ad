import { setImmediate as nextTurn } from 'node:timers/promises';
import { comparePositions, type LogId, type Position } from '@refledger/contracts';
import { transaction, Wake, type Database } from '@refledger/sqlite';
import { collectionOf, wayFor } from '../way-for.js';
import {
  ViewUnreadable,
  type Build,
  type BuildChanges,
  type Document,
  type Found,
  type JsonLines,
  type Query,
  type ReadStore,
  type StoredDocument,
  type ViewSpec,
} from '../read-store.js';
import { buildingBuild, readableBuild } from '../readable-build.js';
import { BuildsTable, type StoredBuild } from './builds-table.js';
import { BulkThread } from './bulk-thread.js';
import { tableOf } from './collection-table.js';
import { toDocument, toStored, type DocumentRow } from './document-row.js';
import { encodeDocuments } from './encode-documents.js';
import { findDocuments } from './find-documents.js';
import { GuardedWriter } from './guarded-writer.js';
import { openForWriting } from './open-for-writing.js';
import { Reach } from './reach.js';
import { scanCollection } from './scan.js';
import { StatementCache } from './statement-cache.js';
import { asStoreErrors } from './store-error.js';
import { TurnSnapshot } from './turn-snapshot.js';
import { WriteTurns } from './write-turns.js';

export interface SqliteReadStoreOptions {
  readonly file: string;
  /** `read` refuses writes. Both make an empty store when there is none, so it doesn't matter which thread comes first. */
  readonly mode: 'write' | 'read';
}

/** A save of more documents than this to builds that nobody reads yet is done by a thread of its own. */
const large = 2_000;
/** Documents of one transaction of that thread: whoever else writes waits for it. */
const perTransaction = 4_000;
/** Documents that go to it together. */
const perMessage = 500;
/** So long its work is prepared in one go. Folding, which shares this thread, goes on in between: with shorter slices it would be over before that thread can begin, and they would take turns. */
const preparedMs = 20;

/**
 * Opens the read models in one SQLite file. The connection works in the calling thread. Documents and checkpoint of a save are
 * one transaction, so the file is consistent after any crash; the last saves may be lost with the machine's power and are then folded again.
 */
export const openSqliteReadStore = ({ file, mode }: SqliteReadStoreOptions): Promise<ReadStore> => {
  const open = (): ReadStore => {
    const db = openForWriting(file);
    if (mode === 'read') db.exec('PRAGMA query_only = ON');
    return new SqliteReadStore(db);
  };
  return promised(() => asStoreErrors(file, open));
};

class SqliteReadStore implements ReadStore {
  /** The lock of the data folder lets in one process. */
  readonly capabilities = { instantScans: true, leases: false };
  readonly demand: Wake;
  private readonly wake: Wake;
  private readonly table: BuildsTable;
  private readonly statements: StatementCache;
  private readonly snapshot: TurnSnapshot;
  private readonly reach: Reach<readonly StoredBuild[]>;
  private readonly writer: GuardedWriter;
  private readonly bulk: BulkThread;
  private readonly turns = new WriteTurns();
  private readonly bulks = new WriteTurns();

  constructor(private readonly db: Database) {
    this.wake = new Wake(db.file);
    this.demand = new Wake(`${db.file}.demand`);
    this.table = new BuildsTable(db);
    this.statements = new StatementCache(db);
    this.snapshot = new TurnSnapshot(db, this.statements, this.table);
    this.writer = new GuardedWriter(db, this.table);
    this.bulk = new BulkThread(db.file);
    const look = (): readonly StoredBuild[] =>
      asStoreErrors(db.file, () => {
        this.snapshot.end();
        return this.table.all();
      });
    this.reach = new Reach(this.wake, look, () => this.demand.notify());
  }

  builds(view: string): Promise<readonly Build[]> {
    return this.reading(() => this.table.ofView(view));
  }

  async createBuild(view: ViewSpec, logId: LogId, cause: string): Promise<Build> {
    // before, since a build of an earlier layout may have had the same id
    if ((await this.reading(() => this.table.leftTables())).length > 0)
      await this.turns.run(() => this.bulk.order({ kind: 'sweep' }));
    return this.writing(() => this.table.create(view, logId, cause));
  }

  async goLive(build: Build): Promise<boolean> {
    const isLarge = await this.isLarge(build);
    for (const sql of await this.reading(() => this.table.indexes(build))) {
      if (isLarge) await this.turns.run(() => this.bulk.order({ kind: 'index', sql }));
      else await this.writing(() => this.db.exec(sql));
    }
    return this.writing(() => this.table.goLive(build));
  }

  async dropBuild(build: Build): Promise<void> {
    if (await this.isLarge(build))
      await this.turns.run(() => this.bulk.order({ kind: 'drop', build }));
    else await this.writing(() => this.table.drop(build));
  }

  load(
    build: Build,
    collection: string,
    ids: readonly string[],
  ): Promise<readonly StoredDocument[]> {
    return this.reading(() => {
      this.table.present(build);
      const select = `SELECT id, CAST(position AS TEXT) AS position, document FROM ${tableOf(build, collection)} WHERE id IN (SELECT value FROM json_each(?))`;
      return (this.statements.get(select).all(JSON.stringify(ids)) as unknown as DocumentRow[]).map(
        toStored,
      );
    });
  }

  save(changes: readonly BuildChanges[]): Promise<boolean> {
    const count = changes.reduce(
      (sum, { documents }) => [...documents.values()].reduce((of, { length }) => of + length, sum),
      0,
    );
    if (count > large && changes.every(({ build }) => build.state === 'building'))
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

  get(
    view: ViewSpec,
    logId: LogId,
    collection: string,
    id: string,
  ): Promise<Found<Document | undefined>> {
    return this.fromReadable(view, logId, (build) => {
      if (!build.collections.some(({ name }) => name === collection)) return undefined;
      const row = this.statements
        .get(`SELECT document FROM ${tableOf(build, collection)} WHERE id = ?`)
        .get(id) as { document: string | null } | undefined;
      return {
        value: row === undefined || row.document === null ? undefined : toDocument(row.document),
      };
    });
  }

  async find(
    view: ViewSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<readonly Document[]>> {
    const { value, position } = await this.findJson(view, logId, collection, query);
    return { value: value.count === 0 ? [] : value.text.split('\n').map(toDocument), position };
  }

  findJson(
    view: ViewSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<JsonLines>> {
    return this.fromReadable(view, logId, (build) => {
      const way = wayFor(view, build, collection, query);
      return (
        way && { value: findDocuments(this.statements, tableOf(build, collection), way, query) }
      );
    });
  }

  reached(
    view: ViewSpec,
    logId: LogId,
    position: Position,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<boolean> {
    return this.reach.until((builds) => {
      const checkpoint = readableBuild(
        builds.filter((build) => build.view === view.name),
        view,
        logId,
      )?.checkpoint;
      return checkpoint !== undefined && comparePositions(checkpoint.position, position) >= 0;
    }, options);
  }

  holdLease(): Promise<boolean> {
    return Promise.resolve(true);
  }

  releaseLease(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.reach.close();
    this.wake.close();
    this.demand.close();
    await this.turns.run(() => this.bulk.close());
    this.snapshot.end();
    if (this.db.isOpen) this.db.close();
  }

  /** In several transactions, the checkpoints with the last of them; everything of this thread gets its turn in between. */
  private async saveInBulk(changes: readonly BuildChanges[], count: number): Promise<boolean> {
    await this.reading(() => changes.forEach((each) => this.writer.check(each)));
    let since = performance.now();
    for (const { build, documents } of changes) {
      for (const [collection, saved] of documents) {
        const spec = collectionOf(
          await this.reading(() => this.table.collections(build)),
          collection,
        );
        for (let from = 0; from < saved.length; from += perMessage) {
          this.bulk.gather({
            kind: 'gather',
            build,
            collection,
            documents: encodeDocuments(spec, saved.slice(from, from + perMessage)),
          });
          if (performance.now() - since < preparedMs) continue;
          await nextTurn();
          since = performance.now();
        }
      }
    }
    const checkpoints = changes.map(({ build, checkpoint }) => ({ build, checkpoint }));
    let isAllKept = true;
    for (let left = count; left > 0;) {
      const done = await this.turns.run(() =>
        this.bulk.order({ kind: 'commit', most: perTransaction, left, checkpoints }),
      );
      isAllKept &&= done.isAllKept;
      left = done.left;
    }
    return isAllKept;
  }

  private isLarge(build: Build): Promise<boolean> {
    return this.reading(() => this.table.holdsMoreThan(build, large));
  }

  /** Build, documents and position are of one instant, so a switch of builds or a drop never shows. `undefined` says that this build can't answer. */
  private fromReadable<T>(
    view: ViewSpec,
    logId: LogId,
    read: (build: StoredBuild) => { readonly value: T } | undefined,
  ): Promise<Found<T>> {
    return promised(() =>
      asStoreErrors(this.db.file, () =>
        this.snapshot.read(() => {
          const builds = this.snapshot.buildsOf(view.name);
          const build = readableBuild(builds, view, logId);
          const answer = build && read(build);
          if (answer === undefined)
            throw new ViewUnreadable(
              view.name,
              buildingBuild(builds, view, logId)?.checkpoint?.position,
            );
          return { value: answer.value, position: build?.checkpoint?.position };
        }),
      ),
    );
  }

  /** As of now: who keeps builds must see what others have done to them in the same turn. */
  private reading<T>(work: () => T): Promise<T> {
    return promised(() =>
      asStoreErrors(this.db.file, () => {
        this.snapshot.end();
        return this.snapshot.read(work);
      }),
    );
  }

  private writing<T>(work: () => T): Promise<T> {
    return this.turns.run(() => {
      this.snapshot.end();
      const result = asStoreErrors(this.db.file, () => transaction(this.db, work));
      this.wake.notify();
      return result;
    });
  }
}

/** The port is asynchronous, this engine is not. */
const promised = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(work()));
