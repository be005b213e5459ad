import type { EncodedDocument } from './encode-documents.js';
import type { EncodedCollection } from './guarded-writer.js';

/**
 * Documents that wait to be written, handed out collection by collection in the order of ids: so each page of a table's index of ids,
 * which are hashes, is written once a bulk and not once a transaction.
 */
export class Gathered {
  private readonly collections = new Map<
    string,
    Omit<EncodedCollection, 'documents'> & { documents: EncodedDocument[]; isSorted: boolean }
  >();
  /** How many there are. */
  left = 0;

  add({ build, collection, documents }: EncodedCollection): void {
    const key = `${build.id} ${collection}`;
    const known = this.collections.get(key);
    this.collections.set(key, {
      build,
      collection,
      documents: known === undefined ? [...documents] : known.documents.concat(documents),
      isSorted: false,
    });
    this.left += documents.length;
  }

  /** The next ones, at most `most`. */
  take(most: number): readonly EncodedCollection[] {
    const taken: EncodedCollection[] = [];
    let room = most;
    for (const [key, waiting] of this.collections) {
      if (room === 0) break;
      // from the end, which is cheap to take from
      if (!waiting.isSorted) waiting.documents.sort(([a], [b]) => (a < b ? 1 : -1));
      waiting.isSorted = true;
      const documents = waiting.documents.splice(-room).reverse();
      if (waiting.documents.length === 0) this.collections.delete(key);
      taken.push({ build: waiting.build, collection: waiting.collection, documents });
      room -= documents.length;
    }
    this.left -= most - room;
    return taken;
  }
}
