import type { LogId, Position } from '@refledger/contracts';
import type { Collection, Db } from 'mongodb';
import {
  ReadStoreError,
  type Build,
  type BuildChanges,
  type Document,
  type Found,
  type JsonLines,
  type LeaseRequest,
  type Query,
  type ReadStore,
  type StoredDocument,
  type ProjectionSpec,
} from '../read-store.js';
import { isReadableUpTo } from '../readable-build.js';
import { checkIndexes, dropCollections, makeCollections, sweep } from './build-collections.js';
import { BuildRegistry, type StoredBuild, type ReadModelEntry } from './build-registry.js';
import { connectMongodb, type MongodbConnection } from './connection.js';
import { toMongodbFailure } from './failure.js';
import { holdLease, releaseLease, type LeaseEntry } from './leases.js';
import { leasesName, plain, readModelsName } from './names.js';
import { PositionWaiters } from './position-waiters.js';
import { ReadableDocuments } from './readable-documents.js';
import { saveChanges } from './save-changes.js';
import { scanCollection } from './scan.js';
import { asStoreErrors } from './store-error.js';
import { documentsOf, toStored, type ReadModelDocument } from './read-model-document.js';

export interface MongodbReadStoreOptions {
  /** `mongodb://…` or `mongodb+srv://…`, with user, TLS and the database name. */
  readonly url: string;
  /** `read` refuses writes; `write` checks when it opens that every declared index exists. */
  readonly mode: 'write' | 'read';
  /**
   * Whether opening fails while the server is away; if false, the first read fails. Default: true.
   */
  readonly waitForServer?: boolean;
}

/** The most ids per request. */
const idsAtOnce = 5_000;
/**
 * Opens the read models in a MongoDB database on a replica set, a standalone server or a sharded
 * cluster. Needs no transactions.
 */
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
  private readonly readable: ReadableDocuments;
  private readonly reach: PositionWaiters<readonly StoredBuild[]>;

  constructor(
    private readonly connection: MongodbConnection,
    private readonly mode: MongodbReadStoreOptions['mode'],
  ) {
    this.db = connection.db;
    this.registry = new BuildRegistry(this.db.collection<ReadModelEntry>(readModelsName));
    this.leases = this.db.collection<LeaseEntry>(leasesName);
    this.readable = new ReadableDocuments(this.db, this.registry);
    this.reach = new PositionWaiters(() => asStoreErrors(() => this.registry.all()));
  }

  async check(): Promise<void> {
    for (const build of await this.registry.all()) await checkIndexes(this.db, build);
    await sweep(this.db, this.registry);
  }

  builds(projection: string): Promise<readonly Build[]> {
    return asStoreErrors(() => this.registry.ofProjection(projection));
  }

  createBuild(projection: ProjectionSpec, logId: LogId, cause: string): Promise<Build> {
    return this.writing(async () => {
      for (const name of [
        projection.name,
        ...projection.collections.flatMap((collection) => [
          collection.name,
          ...collection.indexes.flatMap(({ fields }) => fields),
        ]),
      ])
        plain(name);
      const build = await this.registry.create(projection, logId, cause);
      await makeCollections(this.db, build);
      return build;
    });
  }

  goLive(build: Build): Promise<boolean> {
    return this.writing(async () => {
      const [stored] = await this.registry.present([build]);
      // The process that noted the build may have ended before it created the indexes.
      if (stored !== undefined) await makeCollections(this.db, stored);
      return this.registry.goLive(build);
    });
  }

  dropBuild(build: Build): Promise<void> {
    return this.writing(async () => {
      const stored = (await this.registry.ofProjection(build.projection)).find(
        ({ id }) => id === build.id,
      );
      await this.registry.remove(build);
      // The build can no longer be found. If the server is slow or away now, the next drop or
      // opening removes the collections.
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
      const found: ReadModelDocument[] = [];
      for (let from = 0; from < ids.length; from += idsAtOnce)
        found.push(
          ...(await documentsOf(this.db, build, collection)
            .find({ _id: { $in: ids.slice(from, from + idsAtOnce) } })
            .toArray()),
        );
      // A missing id may mean that the build is gone.
      if (found.length < ids.length) await this.registry.present([build]);
      return found.map(toStored);
    });
  }

  save(changes: readonly BuildChanges[]): Promise<boolean> {
    return this.writing(() => saveChanges(this.db, this.registry, changes));
  }

  scan(build: Build, collection: string): ReturnType<ReadStore['scan']> {
    return scanCollection(this.registry, documentsOf(this.db, build, collection), build);
  }

  get(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    id: string,
  ): Promise<Found<Document | undefined>> {
    return this.readable.get(projection, logId, collection, id);
  }

  find(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<readonly Document[]>> {
    return this.readable.find(projection, logId, collection, query);
  }

  findJson(
    projection: ProjectionSpec,
    logId: LogId,
    collection: string,
    query: Query,
  ): Promise<Found<JsonLines>> {
    return this.readable.findJson(projection, logId, collection, query);
  }

  reached(
    projection: ProjectionSpec,
    logId: LogId,
    position: Position,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<boolean> {
    return this.reach.until(
      (builds) => isReadableUpTo(position, builds, projection, logId),
      options,
    );
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
