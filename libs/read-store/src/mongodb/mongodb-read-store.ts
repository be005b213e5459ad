import { comparePositions, type LogId, type Position } from '@refledger/contracts';
import type { Collection, Db } from 'mongodb';
import { collectionOf, wayFor } from '../way-for.js';
import {
  ReadStoreError,
  StaleDocument,
  ViewUnreadable,
  type Build,
  type BuildChanges,
  type Document,
  type Found,
  type JsonLines,
  type LeaseRequest,
  type Query,
  type ReadStore,
  type StoredDocument,
  type ViewSpec,
} from '../read-store.js';
import { buildingBuild, readableBuild } from '../readable-build.js';
import { storable } from '../storable.js';
import { checkIndexes, dropCollections, makeCollections, sweep } from './build-collections.js';
import { BuildRegistry, type StoredBuild, type ViewEntry } from './build-registry.js';
import { connectMongodb, type MongodbConnection } from './connection.js';
import { toMongodbFailure } from './failure.js';
import { findDocuments } from './find-documents.js';
import { holdLease, releaseLease, type LeaseEntry } from './leases.js';
import { collectionNameOf, leasesName, plain, viewsName } from './names.js';
import { Reach } from './reach.js';
import { saveDocuments, staleAmong } from './save-documents.js';
import { scanCollection } from './scan.js';
import { asStoreErrors } from './store-error.js';
import { toDocument, toStored, toViewChange, type ViewDocument } from './view-document.js';

export interface MongodbReadStoreOptions {
  /** `mongodb://…` or `mongodb+srv://…`, with user, TLS and the name of the database. */
  readonly url: string;
  /** `read` refuses writes; `write` checks at its opening that every declared index is there. */
  readonly mode: 'write' | 'read';
  /** Whether opening fails while the server is away; else whatever reads first does. True by default. */
  readonly waitForServer?: boolean;
}

/** Ids asked for at once. */
const idsAtOnce = 5_000;
/** How often builds may be switched under one reader before it gives up. */
const mostSwitches = 20;

/** Opens the read models in a MongoDB database: a replica set, a standalone server or a sharded cluster. Needs no transactions. */
export const openMongodbReadStore = ({
  url,
  mode,
  waitForServer,
}: MongodbReadStoreOptions): Promise<ReadStore> =>
  asStoreErrors(async () => {
    const connection = await connectMongodb(url, 'refledger-read-store', waitForServer);
    const store = new MongodbReadStore(connection, mode);
    if (mode === 'read') return store;
    try {
      await store.check();
      return store;
    } catch (error) {
      await connection.close();
      throw error;
    }
  });

class MongodbReadStore implements ReadStore {
  readonly capabilities = { instantScans: false, leases: true };
  private readonly db: Db;
  private readonly registry: BuildRegistry;
  private readonly leases: Collection<LeaseEntry>;
  private readonly reach: Reach<readonly StoredBuild[]>;

  constructor(
    private readonly connection: MongodbConnection,
    private readonly mode: MongodbReadStoreOptions['mode'],
  ) {
    this.db = connection.db;
    this.registry = new BuildRegistry(this.db.collection<ViewEntry>(viewsName));
    this.leases = this.db.collection<LeaseEntry>(leasesName);
    this.reach = new Reach(() => asStoreErrors(() => this.registry.all()));
  }

  async check(): Promise<void> {
    for (const build of await this.registry.all()) await checkIndexes(this.db, build);
    await sweep(this.db, this.registry);
  }

  builds(view: string): Promise<readonly Build[]> {
    return asStoreErrors(() => this.registry.ofView(view));
  }

  createBuild(view: ViewSpec, logId: LogId, cause: string): Promise<Build> {
    return this.writing(async () => {
      for (const name of [
        view.name,
        ...view.collections.flatMap((collection) => [
          collection.name,
          ...collection.indexes.flatMap(({ fields }) => fields),
        ]),
      ])
        plain(name);
      const build = await this.registry.create(view, logId, cause);
      await makeCollections(this.db, build);
      return build;
    });
  }

  goLive(build: Build): Promise<boolean> {
    return this.writing(async () => {
      const [stored] = await this.registry.present([build]);
      // whoever noted the build may have ended before its indexes were there
      if (stored !== undefined) await makeCollections(this.db, stored);
      return this.registry.goLive(build);
    });
  }

  dropBuild(build: Build): Promise<void> {
    return this.writing(async () => {
      const stored = (await this.registry.ofView(build.view)).find(({ id }) => id === build.id);
      await this.registry.remove(build);
      // from here on nobody finds it: should the server be slow or away now, its collections go with the next drop or opening
      await this.clear(build, stored).catch((error: unknown) => {
        if (toMongodbFailure(error)?.kind !== 'unavailable') throw error;
      });
    });
  }

  load(
    build: Build,
    collection: string,
    ids: readonly string[],
  ): Promise<readonly StoredDocument[]> {
    return asStoreErrors(async () => {
      const found: ViewDocument[] = [];
      for (let from = 0; from < ids.length; from += idsAtOnce)
        found.push(
          ...(await this.documents(build, collection)
            .find({ _id: { $in: ids.slice(from, from + idsAtOnce) } })
            .toArray()),
        );
      // ids that are not there may be of a build that is not
      if (found.length < ids.length) await this.registry.present([build]);
      return found.map(toStored);
    });
  }

  save(changes: readonly BuildChanges[]): Promise<boolean> {
    return this.writing(async () => {
      const builds = await this.registry.present(changes.map(({ build }) => build));
      let isAllKept = true;
      let stale: StaleDocument | undefined;
      for (const { build, unchanged } of changes) {
        for (const [name, read] of unchanged ?? []) {
          const id = await staleAmong(this.documents(build, name), read);
          if (id !== undefined) stale ??= new StaleDocument(build, name, id);
        }
      }
      for (const [i, { build, documents }] of changes.entries()) {
        for (const [name, changed] of documents) {
          const spec = collectionOf(builds[i]?.collections ?? [], name);
          const saved = await saveDocuments(
            this.documents(build, name),
            changed.map((each) => storable(each.id, () => toViewChange(spec, each))),
          );
          isAllKept &&= saved.isAllKept;
          if (saved.stale !== undefined) stale ??= new StaleDocument(build, name, saved.stale);
        }
      }
      await (
        stale === undefined ? this.registry.raise(changes) : this.registry.present(builds)
      ).catch(async (error: unknown) => {
        // a build that was dropped meanwhile: MongoDB has made its collections anew for our documents
        await sweep(this.db, this.registry);
        throw error;
      });
      if (stale !== undefined) throw stale;
      return isAllKept;
    });
  }

  scan(build: Build, collection: string): ReturnType<ReadStore['scan']> {
    return scanCollection(this.registry, this.documents(build, collection), build);
  }

  get(
    view: ViewSpec,
    logId: LogId,
    collection: string,
    id: string,
  ): Promise<Found<Document | undefined>> {
    return this.fromReadable(view, logId, async (build) => {
      if (!build.collections.some(({ name }) => name === collection)) return undefined;
      const found = await this.documents(build, collection).findOne(
        { _id: id },
        { projection: { json: 1 } },
      );
      return {
        value: found?.json === undefined ? undefined : toDocument(found.json),
        isEmpty: found === null,
      };
    });
  }

  async find(
    view: ViewSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<readonly Document[]>> {
    const { value, position } = await this.findTexts(view, logId, collection, query);
    return { value: value.map(toDocument), position };
  }

  async findJson(
    view: ViewSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<JsonLines>> {
    const { value, position } = await this.findTexts(view, logId, collection, query);
    return { value: { count: value.length, text: value.join('\n') }, position };
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

  holdLease(request: LeaseRequest): Promise<boolean> {
    return asStoreErrors(() => holdLease(this.leases, request));
  }

  releaseLease(request: Pick<LeaseRequest, 'name' | 'holder'>): Promise<void> {
    return asStoreErrors(() => releaseLease(this.leases, request));
  }

  async close(): Promise<void> {
    this.reach.close();
    await this.connection.close();
  }

  private async clear(build: Build, stored: StoredBuild | undefined): Promise<void> {
    if (stored !== undefined) await dropCollections(this.db, build, stored.collections);
    await sweep(this.db, this.registry);
  }

  private documents(build: Build, collection: string): Collection<ViewDocument> {
    return this.db.collection<ViewDocument>(collectionNameOf(build, collection));
  }

  private findTexts(
    view: ViewSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<readonly string[]>> {
    return this.fromReadable(view, logId, async (build) => {
      const way = wayFor(view, build, collection, query);
      if (way === undefined) return undefined;
      const value = await findDocuments(this.documents(build, collection), way, query);
      return { value, isEmpty: value.length === 0 };
    });
  }

  /**
   * The position is read before the documents, so they reflect it at least. Nothing found, or an error, may come from a build that was dropped
   * meanwhile: then the one that is read now is asked. `undefined` says that this build can't answer.
   */
  private fromReadable<T>(
    view: ViewSpec,
    logId: LogId,
    read: (
      build: StoredBuild,
    ) => Promise<{ readonly value: T; readonly isEmpty: boolean } | undefined>,
  ): Promise<Found<T>> {
    return asStoreErrors(async () => {
      for (let switches = 0; switches < mostSwitches; switches++) {
        const builds = await this.registry.ofView(view.name);
        const build = readableBuild(builds, view, logId);
        const isThere = async (): Promise<boolean> =>
          (await this.registry.ofView(view.name)).some(({ id }) => id === build?.id);
        const answer =
          build &&
          (await read(build).catch(async (error: unknown) => {
            if (error instanceof TypeError || (await isThere())) throw error;
            return 'gone' as const;
          }));
        if (answer === undefined)
          throw new ViewUnreadable(
            view.name,
            buildingBuild(builds, view, logId)?.checkpoint?.position,
          );
        if (answer !== 'gone' && (!answer.isEmpty || (await isThere())))
          return { value: answer.value, position: build?.checkpoint?.position };
      }
      throw new ReadStoreError(
        'unavailable',
        `the builds of ${view.name} change too often to be read`,
      );
    });
  }

  private writing<T>(work: () => Promise<T>): Promise<T> {
    return asStoreErrors(async () => {
      if (this.mode === 'read')
        throw new ReadStoreError('unusable', 'the read store is open for reading only');
      const result = await work();
      this.reach.notify();
      return result;
    });
  }
}
