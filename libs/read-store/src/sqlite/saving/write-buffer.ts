import type { EncodedDocument } from '../encode-documents.js';
import type { EncodedCollection } from './guarded-writer.js';

/**
 * Buffers documents to be written and hands them out by collection, in order of id. Most ids are
 * random; in sorted order, each page of a table's id index is written once per bulk save instead of
 * once per transaction.
 */
export class WriteBuffer {
  private readonly collections = new Map<
    string,
    Omit<EncodedCollection, 'documents'> & { documents: EncodedDocument[]; isSorted: boolean }
  >();
  /** The number of buffered documents. */
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

  /** Takes the next documents, at most `limit`. */
  take(limit: number): readonly EncodedCollection[] {
    const taken: EncodedCollection[] = [];
    let room = limit;
    for (const [key, waiting] of this.collections) {
      if (room === 0) break;
      // Sorted descending, because removing from the end of an array is cheap.
      if (!waiting.isSorted) waiting.documents.sort(([a], [b]) => (a < b ? 1 : -1));
      waiting.isSorted = true;
      const documents = waiting.documents.splice(-room).reverse();
      if (waiting.documents.length === 0) this.collections.delete(key);
      taken.push({ build: waiting.build, collection: waiting.collection, documents });
      room -= documents.length;
    }
    this.left -= limit - room;
    return taken;
  }
}
