import type { EncodedDocument } from '../encode-documents.js';
import type { EncodedCollection } from './guarded-writer.js';

/**
 * Buffers documents to be written, and hands them out by collection, in the order in which they
 * came.
 */
export class WriteBuffer {
  private readonly collections = new Map<
    string,
    Omit<EncodedCollection, 'documents'> & { documents: readonly EncodedDocument[] }
  >();
  /** The number of buffered documents. */
  left = 0;

  add({ build, collection, documents }: EncodedCollection): void {
    const key = `${build.id} ${collection}`;
    const waiting = this.collections.get(key)?.documents ?? [];
    this.collections.set(key, { build, collection, documents: waiting.concat(documents) });
    this.left += documents.length;
  }

  /** Takes the next documents, at most `limit`. */
  take(limit: number): readonly EncodedCollection[] {
    const taken: EncodedCollection[] = [];
    let room = limit;
    for (const [key, waiting] of this.collections) {
      if (room === 0) break;
      const documents = waiting.documents.slice(0, room);
      waiting.documents = waiting.documents.slice(room);
      if (waiting.documents.length === 0) this.collections.delete(key);
      taken.push({ ...waiting, documents });
      room -= documents.length;
    }
    this.left -= limit - room;
    return taken;
  }
}
