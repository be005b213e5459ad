import type { Db, IndexDescription } from 'mongodb';
import type { Build, CollectionSpec } from '../read-store.js';
import type { StoredBuild } from '../readable-build.js';
import type { BuildRegistry } from './build-registry.js';
import { ignoring, namespaceNotFound, requireKeys } from '@refledger/mongodb';
import { buildCollections, buildIdIn, collectionNameOf, indexNameOf, keyOf } from './names.js';

/** Creates the collections and indexes of a build; existing ones stay. */
export const makeCollections = async (db: Db, build: StoredBuild): Promise<void> => {
  for (const collection of build.collections) {
    const indexes = indexesOf(collection);
    const name = collectionNameOf(build, collection.name);
    // The collection is empty unless someone dropped an index. If creating that index takes longer
    // than the connection's timeout, the next attempt finds it complete.
    if (indexes.length > 0) await db.collection(name).createIndexes([...indexes]);
    else await db.createCollection(name).catch(ignoring(namespaceExists));
  }
};

/**
 * Creates indexes that someone has dropped. Throws if an index has a declared name but other
 * fields: a person must resolve that.
 */
export const checkIndexes = async (db: Db, build: StoredBuild): Promise<void> => {
  for (const collection of build.collections)
    await requireKeys(
      db.collection(collectionNameOf(build, collection.name)),
      indexesOf(collection),
    );
  await makeCollections(db, build);
};

export const dropCollections = async (
  db: Db,
  build: Pick<Build, 'id' | 'projection' | 'version'>,
  collections: readonly CollectionSpec[],
): Promise<void> => {
  for (const { name } of collections) await drop(db, collectionNameOf(build, name));
};

/**
 * Drops the collections of builds that no longer exist. They remain after an interrupted drop, or
 * when a writer that didn't know of the drop wrote to them.
 */
export const sweep = async (db: Db, registry: BuildRegistry): Promise<void> => {
  // In this order, because every build is recorded before its collections are created.
  const names = (
    await db.listCollections({ name: buildCollections }, { nameOnly: true }).toArray()
  ).map(({ name }) => name);
  const builds = new Set((await registry.all()).map(({ id }) => id));
  for (const name of names) {
    const id = buildIdIn(name);
    if (id !== undefined && !builds.has(id)) await drop(db, name);
  }
};

const indexesOf = ({ indexes }: CollectionSpec): readonly IndexDescription[] =>
  indexes.map((index) => ({
    name: indexNameOf(index),
    key: Object.fromEntries(index.fields.map((field) => [keyOf(field), 1 as const])),
    ...(index.sparse && {
      partialFilterExpression: Object.fromEntries(
        index.sparse.map((field) => [keyOf(field), { $exists: true }]),
      ),
    }),
  }));

const drop = (db: Db, collection: string): Promise<unknown> =>
  db.collection(collection).drop().catch(ignoring(namespaceNotFound));

const namespaceExists = 48;
