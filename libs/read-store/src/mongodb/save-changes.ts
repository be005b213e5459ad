import type { Db, Collection } from 'mongodb';
import { StaleDocument, type BuildChanges, type ReadPositions } from '../read-store.js';
import type { StoredBuild } from '../readable-build.js';
import { storable } from '../storable.js';
import { collectionOf } from '../plan-query.js';
import { sweep } from './build-collections.js';
import type { BuildRegistry } from './build-registry.js';
import { documentsOf, toReadModelChange } from './read-model-document.js';
import type { ReadModelChange, ReadModelDocument } from './read-model-document.js';
import { insertNew } from '@refledger/mongodb';

/**
 * Saves documents of several builds, then raises their checkpoints. If a document was stale, throws
 * instead of raising them. True if all documents were kept.
 */
export const saveChanges = async (
  db: Db,
  registry: BuildRegistry,
  changes: readonly BuildChanges[],
): Promise<boolean> => {
  const builds = await registry.present(changes.map(({ build }) => build));
  const staleRead = await staleUnchanged(db, changes);
  const saved = await saveAll(db, builds, changes);
  const stale = staleRead ?? saved.stale;
  await (stale === undefined ? registry.raise(changes) : registry.present(builds)).catch(
    async (error: unknown) => {
      // If a build was dropped meanwhile, MongoDB has created its collections again for these
      // documents.
      await sweep(db, registry);
      throw error;
    },
  );
  if (stale !== undefined) throw stale;
  return saved.isAllKept;
};

/** The first unchanged document that is no longer stored as it was read. */
const staleUnchanged = async (
  db: Db,
  changes: readonly BuildChanges[],
): Promise<StaleDocument | undefined> => {
  let stale: StaleDocument | undefined;
  for (const { build, unchanged } of changes) {
    for (const [name, read] of unchanged ?? []) {
      const id = await staleAmong(documentsOf(db, build, name), read);
      if (id !== undefined) stale ??= new StaleDocument(build, name, id);
    }
  }
  return stale;
};

/** Saves all documents. `builds` are those of the changes, in the same order. */
const saveAll = async (
  db: Db,
  builds: readonly StoredBuild[],
  changes: readonly BuildChanges[],
): Promise<{ readonly isAllKept: boolean; readonly stale: StaleDocument | undefined }> => {
  let isAllKept = true;
  let stale: StaleDocument | undefined;
  for (const [i, { build, documents }] of changes.entries()) {
    for (const [name, changed] of documents) {
      const spec = collectionOf(builds[i]?.collections ?? [], name);
      const saved = await saveDocuments(
        documentsOf(db, build, name),
        changed.map((each) => storable(each.id, () => toReadModelChange(spec, each))),
      );
      isAllKept &&= saved.isAllKept;
      if (saved.stale !== undefined) stale ??= new StaleDocument(build, name, saved.stale);
    }
  }
  return { isAllKept, stale };
};

interface SaveResult {
  /**
   * False if a stored document already had its new position or a later one, and was left unchanged.
   */
  readonly isAllKept: boolean;
  /** The id of a document that was not made from the stored one. */
  readonly stale?: string | undefined;
}

/**
 * Limits per request, far below the server's 100,000 operations and 48 MB, so that each request is
 * answered soon.
 */
const maxBatchSize = { documents: 500, bytes: 8 * 1024 * 1024 };

/** Inserts the new documents. Each of the others replaces the document that it was made from. */
const saveDocuments = async (
  collection: Collection<ReadModelDocument>,
  changes: readonly ReadModelChange[],
): Promise<SaveResult> => {
  let saved: SaveResult = { isAllKept: true };
  for (const part of inParts(changes)) {
    const { isAllKept, stale } = await savePart(collection, part);
    saved = { isAllKept: isAllKept && saved.isAllKept, stale: saved.stale ?? stale };
  }
  return saved;
};

/** The id of a document that is not stored as it was read; undefined if there is none. */
const staleAmong = async (
  collection: Collection<ReadModelDocument>,
  read: ReadPositions,
): Promise<string | undefined> => {
  const positions = await positionsOf(collection, [...read.keys()]);
  return [...read].find(([id, position]) => positions.get(id)?.toString() !== position)?.[0];
};

const inParts = function* (
  changes: readonly ReadModelChange[],
): Generator<readonly ReadModelChange[]> {
  let part: ReadModelChange[] = [];
  let bytes = 0;
  for (const change of changes) {
    // A UTF-16 code unit takes at most three bytes.
    const { record, internal } = change.document;
    const size = 3 * ((record?.length ?? 0) + (internal?.length ?? 0));
    if (
      part.length >= maxBatchSize.documents ||
      (part.length > 0 && bytes + size > maxBatchSize.bytes)
    ) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(change);
    bytes += size;
  }
  if (part.length > 0) yield part;
};

/**
 * Saves one part. Documents are never removed from a build, so no upsert is needed; upserts would
 * cost several times as much, and two could race for the first insert.
 */
const savePart = async (
  collection: Collection<ReadModelDocument>,
  changes: readonly ReadModelChange[],
): Promise<SaveResult> => {
  const met = await insertNew(
    collection,
    changes.flatMap(({ read, document }) => (read === undefined ? [document] : [])),
  );
  const others = await replaceRead(collection, changes);
  return met.length + others.length === 0
    ? { isAllKept: true }
    : resultOfUnsaved(collection, [...met, ...others]);
};

/**
 * Replaces the documents that were read, guarded by position. Returns none if each was replaced,
 * and otherwise all of them.
 */
const replaceRead = async (
  collection: Collection<ReadModelDocument>,
  changes: readonly ReadModelChange[],
): Promise<readonly ReadModelDocument[]> => {
  const writes = changes.flatMap(({ read, document }) =>
    read === undefined
      ? []
      : [
          {
            replaceOne: {
              filter: { _id: document._id, position: { $eq: read, $lt: document.position } },
              replacement: document,
            },
          },
        ],
  );
  if (writes.length === 0) return [];
  const { matchedCount } = await collection.bulkWrite(writes, { ordered: false });
  return matchedCount === writes.length
    ? []
    : writes.map(({ replaceOne: { replacement } }) => replacement);
};

/**
 * Finds out why some of these documents were not written: either the stored one is at the new
 * position or later, or the document is stale.
 */
const resultOfUnsaved = async (
  collection: Collection<ReadModelDocument>,
  documents: readonly ReadModelDocument[],
): Promise<SaveResult> => {
  const positions = await positionsOf(
    collection,
    documents.map(({ _id }) => _id),
  );
  const stale = documents.find(({ _id, position }) => (positions.get(_id) ?? -1n) < position);
  return { isAllKept: false, stale: stale?._id };
};

const positionsOf = async (
  collection: Collection<ReadModelDocument>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, bigint>> => {
  const there = await collection
    .find({ _id: { $in: ids } }, { projection: { position: 1 } })
    .toArray();
  return new Map(there.map(({ _id, position }) => [_id, position]));
};
