import type { Collection } from 'mongodb';
import type { ReadPositions } from '../read-store.js';
import { insertNew } from './insert-new.js';
import type { ReadModelChange, ReadModelDocument } from './read-model-document.js';

/** The outcome of a save. */
export interface Saved {
  /** False if a stored document already had its new position or a later one, and was left. */
  readonly isAllKept: boolean;
  /** The id of a document that was not made from the stored one. */
  readonly stale?: string | undefined;
}

/**
 * Limits per request, far below the server's 100,000 operations and 48 MB, so that each request is
 * answered soon.
 */
const most = { documents: 500, bytes: 8 * 1024 * 1024 };

/** Inserts new documents, and replaces the documents that the others were made from. */
export const saveDocuments = async (
  collection: Collection<ReadModelDocument>,
  changes: readonly ReadModelChange[],
): Promise<Saved> => {
  let saved: Saved = { isAllKept: true };
  for (const part of inParts(changes)) {
    const { isAllKept, stale } = await savePart(collection, part);
    saved = { isAllKept: isAllKept && saved.isAllKept, stale: saved.stale ?? stale };
  }
  return saved;
};

/** The id of a document that is not stored as it was read; undefined if there is none. */
export const staleAmong = async (
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
    const size = 3 * (change.document.json?.length ?? 0);
    if (part.length >= most.documents || (part.length > 0 && bytes + size > most.bytes)) {
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
): Promise<Saved> => {
  const met = await insertNew(
    collection,
    changes.flatMap(({ read, document }) => (read === undefined ? [document] : [])),
  );
  const others = await replaceRead(collection, changes);
  return met.length + others.length === 0
    ? { isAllKept: true }
    : judged(collection, [...met, ...others]);
};

/**
 * Replaces the documents that were read, guarded by position. Returns all of them unless each was
 * replaced.
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
 * Judges documents of which some were not written: the stored one is as late or later, or the
 * document is stale.
 */
const judged = async (
  collection: Collection<ReadModelDocument>,
  documents: readonly ReadModelDocument[],
): Promise<Saved> => {
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
