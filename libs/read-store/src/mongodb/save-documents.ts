import type { Collection } from 'mongodb';
import { insertNew } from './insert-new.js';
import type { ViewDocument } from './view-document.js';

/** One request: far below the 100,000 operations and the 48 MB that a server takes, so that each is answered soon. */
const most = { documents: 500, bytes: 8 * 1024 * 1024 };

/** Writes documents where there is none or an earlier one. False when a guard kept one out: someone has come further with it. */
export const saveDocuments = async (collection: Collection<ViewDocument>, documents: readonly ViewDocument[]): Promise<boolean> => {
  let isAllKept = true;
  for (const part of inParts(documents)) isAllKept = (await savePart(collection, part)) && isAllKept;
  return isAllKept;
};

const inParts = function* (documents: readonly ViewDocument[]): Generator<readonly ViewDocument[]> {
  let part: ViewDocument[] = [];
  let bytes = 0;
  for (const document of documents) {
    // at most three bytes for each unit of text
    const size = 3 * (document.json?.length ?? 0);
    if (part.length >= most.documents || (part.length > 0 && bytes + size > most.bytes)) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(document);
    bytes += size;
  }
  if (part.length > 0) yield part;
};

/**
 * Inserts them all; those that meet a document (11000 on the id) are then updates, past a guard. Documents are never removed from a build, so no
 * upsert is needed, which would cost several times as much, and race with another for the first insert.
 */
const savePart = async (collection: Collection<ViewDocument>, documents: readonly ViewDocument[]): Promise<boolean> => {
  const met = await insertNew(collection, documents);
  if (met.length === 0) return true;
  const { matchedCount } = await collection.bulkWrite(met.map((document) => ({ replaceOne: { filter: { _id: document._id, position: { $lt: document.position } }, replacement: document } })), { ordered: false });
  return matchedCount === met.length;
};
