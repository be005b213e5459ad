import type { Collection } from 'mongodb';
import type { Build, ScanPage } from '../read-store.js';
import type { BuildRegistry } from './build-registry.js';
import { asStoreErrors } from './store-error.js';
import { toStored, type ReadModelDocument } from './read-model-document.js';

const pageSize = 500;

/**
 * Yields all documents of a collection by id. Requests each page separately, so the server holds
 * nothing, however slow the reader is.
 */
export async function* scanCollection(
  registry: BuildRegistry,
  documents: Collection<ReadModelDocument>,
  build: Build,
): AsyncGenerator<ScanPage> {
  const [begun] = await asStoreErrors(() => registry.present([build]));
  for (let after: string | undefined; ;) {
    const page = await asStoreErrors(async () => {
      const found = await documents
        .find(
          { live: true, ...(after !== undefined && { _id: { $gt: after } }) },
          { sort: { _id: 1 }, limit: pageSize, batchSize: pageSize + 1 },
        )
        .toArray();
      // The build may have been dropped, which looks like the end.
      if (found.length < pageSize) await registry.present([build]);
      return found;
    });
    yield { documents: page.map(toStored), checkpoint: begun?.checkpoint };
    if (page.length < pageSize) return;
    after = page.at(-1)?._id ?? after;
  }
}
