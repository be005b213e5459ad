import type { Collection } from 'mongodb';
import type { ReadPositions } from '../read-store.js';
import { insertNew } from './insert-new.js';
import type { ReadModelChange, ReadModelDocument } from './read-model-document.js';

/** What became of the documents of a save. */
export interface Saved {
  /** False when one was left as it is, since it is there at its position or a later one already. */
  readonly isAllKept: boolean;
  /** One that was made of another document than is there. */
  readonly stale?: string | undefined;
}

/** One request: far below the 100,000 operations and the 48 MB that a server takes, so that each is answered soon. */
const most = { documents: 500, bytes: 8 * 1024 * 1024 };

/** Writes documents where there is none, or over the one that they were made of. */
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

/** One of these documents that is not stored as it was read. */
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
    // at most three bytes for each unit of text
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

/** Documents are never removed from a build, so no upsert is needed, which would cost several times as much, and race with another for the first insert. */
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

/** Replaces those that were read, past the guard; answers them all unless each was replaced. */
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

/** Some of these were not written: by what is there now, since they are stored as late already, or since they are stale. */
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
