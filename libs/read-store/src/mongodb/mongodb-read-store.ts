import type { LogId } from '@refledger/contracts';
import {
  connectMongodb,
  MongodbError,
  toMongodbError,
  type MongodbConnection,
} from '@refledger/mongodb';
import type { Collection, Db } from 'mongodb';
import {
  ReadStoreError,
  type Build,
  type BuildChanges,
  type ReadStore,
  type ProjectionSpec,
} from '../read-store.js';
import { plain } from '../document.js';
import type { OpenReadStoreOptions } from '../open-read-store-options.js';
import { isReadableUpTo, type StoredBuild } from '../readable-build.js';
import { checkIndexes, dropCollections, makeCollections, sweep } from './build-collections.js';
import { BuildRegistry, type ReadModelEntry } from './build-registry.js';
import { holdLease, releaseLease, type LeaseEntry } from './leases.js';
import { keyUses, recordKeyUses, type KeyUseEntry } from './key-uses.js';
import { keyUsesName, leasesName, readModelsName } from './names.js';
import { LocalChanges } from './local-changes.js';
import { PositionWaiters } from '../position-waiters.js';
import { ReadableDocuments } from './readable-documents.js';
import { saveChanges } from './save-changes.js';
import { scanCollection } from './scan.js';
import { asStoreErrors } from './store-error.js';
import { documentsOf, toStored, type ReadModelDocument } from './read-model-document.js';

export interface MongodbReadStoreOptions extends Omit<OpenReadStoreOptions, 'dataDir'> {
  /** `mongodb://…` or `mongodb+srv://…`, with user, TLS and the database name. */
  readonly url: string;
}

/** The maximum number of ids per request. */
const idsPerRead = 5_000;
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
  private readonly uses: Collection<KeyUseEntry>;
  private readonly readable: ReadableDocuments;
  private readonly changes = new LocalChanges();
  private readonly positionWaiters: PositionWaiters<readonly StoredBuild[]>;

  constructor(
    private readonly connection: MongodbConnection,
    private readonly mode: MongodbReadStoreOptions['mode'],
  ) {
    this.db = connection.db;
    this.registry = new BuildRegistry(this.db.collection<ReadModelEntry>(readModelsName));
    this.leases = this.db.collection<LeaseEntry>(leasesName);
    this.uses = this.db.collection<KeyUseEntry>(keyUsesName);
    this.readable = new ReadableDocuments(this.db, this.registry);
    this.positionWaiters = new PositionWaiters(this.changes, 15, () =>
      asStoreErrors(() => this.registry.all()),
    );
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
      // The process that recorded the build may have ended before it created the indexes.
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
      // The build can no longer be found. If the server is slow or unavailable now, the next drop
      // or opening removes the collections.
      await this.clear(build, stored).catch((error: unknown) => {
        const known = toMongodbError(error);
        if (!(known instanceof MongodbError) || known.fault !== 'unavailable') throw error;
      });
    });
  }

  readonly load: ReadStore['load'] = (build, collection, ids) =>
    asStoreErrors(async () => {
      const found: ReadModelDocument[] = [];
      for (let from = 0; from < ids.length; from += idsPerRead)
        found.push(
          ...(await documentsOf(this.db, build, collection)
            .find({ _id: { $in: ids.slice(from, from + idsPerRead) } })
            .toArray()),
        );
      // A missing id may mean that the build is gone.
      if (found.length < ids.length) await this.registry.present([build]);
      return found.map(toStored);
    });

  save(changes: readonly BuildChanges[]): Promise<boolean> {
    return this.writing(() => saveChanges(this.db, this.registry, changes));
  }

  scan(build: Build, collection: string): ReturnType<ReadStore['scan']> {
    return scanCollection(this.registry, documentsOf(this.db, build, collection), build);
  }

  readonly get: ReadStore['get'] = (...query) => this.readable.get(...query);

  readonly find: ReadStore['find'] = (...query) => this.readable.find(...query);

  readonly findJson: ReadStore['findJson'] = (...query) => this.readable.findJson(...query);

  readonly waitForPosition: ReadStore['waitForPosition'] = (projection, logId, position, options) =>
    this.positionWaiters.waitUntil(
      (builds) => isReadableUpTo(position, builds, projection, logId),
      options,
    );

  readonly holdLease: ReadStore['holdLease'] = (request) =>
    asStoreErrors(() => holdLease(this.leases, request));

  readonly releaseLease: ReadStore['releaseLease'] = (request) =>
    asStoreErrors(() => releaseLease(this.leases, request));

  readonly recordKeyUses: ReadStore['recordKeyUses'] = (uses) =>
    asStoreErrors(() => recordKeyUses(this.uses, uses));

  readonly keyUses: ReadStore['keyUses'] = (ids) => asStoreErrors(() => keyUses(this.uses, ids));

  async close(): Promise<void> {
    this.positionWaiters.close();
    this.changes.notify();
    await this.connection.close();
  }

  private async clear(build: Build, stored: StoredBuild | undefined): Promise<void> {
    if (stored !== undefined) await dropCollections(this.db, build, stored.collections);
    await sweep(this.db, this.registry);
  }

  private writing<T>(work: () => Promise<T>): Promise<T> {
    return asStoreErrors(async () => {
      if (this.mode === 'read')
        throw new ReadStoreError('unusable', 'the read store is open read-only');
      const result = await work();
      this.changes.notify();
      return result;
    });
  }
}
