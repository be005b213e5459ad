import { MongoServerError, type Db } from 'mongodb';
import { ReadStoreError, type Build, type CollectionSpec } from '../read-store.js';
import type { BuildRegistry, StoredBuild } from './build-registry.js';
import { buildCollections, buildIdIn, collectionNameOf, indexNameOf, keyOf } from './names.js';

/** Creates the collections and indexes of a build; existing ones stay. */
export const makeCollections = async (db: Db, build: StoredBuild): Promise<void> => {
  for (const collection of build.collections) {
    const indexes = indexesOf(collection);
    const name = collectionNameOf(build, collection.name);
    // The collection is empty unless somebody dropped an index. If creating that index takes longer
    // than the connection's timeout, the next attempt finds it complete.
    if (indexes.length > 0) await db.collection(name).createIndexes(indexes);
    else await db.createCollection(name).catch(ignoring(namespaceExists));
  }
};

/**
 * Creates indexes that somebody has dropped. Throws if an index has a declared name but other
 * fields: a person must resolve that.
 */
export const checkIndexes = async (db: Db, build: StoredBuild): Promise<void> => {
  for (const collection of build.collections) {
    const name = collectionNameOf(build, collection.name);
    const present = new Map(
      (await indexesIn(db, name)).map((index) => [index.name, JSON.stringify(index.key)]),
    );
    for (const { name: index, key } of indexesOf(collection)) {
      const found = present.get(index);
      if (found !== undefined && found !== JSON.stringify(key))
        throw new ReadStoreError(
          'unusable',
          `the index ${index} of ${name} is on other fields than it should be: drop it, and it is made anew at the next start`,
        );
    }
  }
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
  // In this order, because every build is noted before its collections are created.
  const names = (
    await db.listCollections({ name: buildCollections }, { nameOnly: true }).toArray()
  ).map(({ name }) => name);
  const builds = new Set((await registry.all()).map(({ id }) => id));
  for (const name of names) {
    const id = buildIdIn(name);
    if (id !== undefined && !builds.has(id)) await drop(db, name);
  }
};

const indexesOf = ({ indexes }: CollectionSpec) =>
  indexes.map((index) => ({
    name: indexNameOf(index),
    key: Object.fromEntries(index.fields.map((field) => [keyOf(field), 1 as const])),
  }));

const indexesIn = (db: Db, collection: string) =>
  db
    .collection(collection)
    .indexes()
    .catch(ignoring(namespaceNotFound))
    .then((found) => found ?? []);

const drop = (db: Db, collection: string): Promise<unknown> =>
  db.collection(collection).drop().catch(ignoring(namespaceNotFound));

const namespaceNotFound = 26;
const namespaceExists = 48;
const ignoring =
  (code: number) =>
  (error: unknown): undefined => {
    if (!(error instanceof MongoServerError) || error.code !== code) throw error;
  };
