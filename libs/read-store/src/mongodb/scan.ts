import type { Collection } from 'mongodb';
import type { Build, ReadStore } from '../read-store.js';
import type { BuildRegistry } from './build-registry.js';
import { asStoreErrors } from './store-error.js';
import { toStored, type ReadModelDocument } from './read-model-document.js';

const pageSize = 500;

/** Each page is asked for by itself, so nothing is held on the server however slowly it is taken. */
export async function* scanCollection(
  registry: BuildRegistry,
  documents: Collection<ReadModelDocument>,
  build: Build,
): ReturnType<ReadStore['scan']> extends AsyncIterable<infer Page> ? AsyncGenerator<Page> : never {
  const [begun] = await asStoreErrors(() => registry.present([build]));
  for (let after: string | undefined; ;) {
    const page = await asStoreErrors(async () => {
      const found = await documents
        .find(
          { live: true, ...(after !== undefined && { _id: { $gt: after } }) },
          { sort: { _id: 1 }, limit: pageSize, batchSize: pageSize + 1 },
        )
        .toArray();
      // an end may be that of a build that was dropped
      if (found.length < pageSize) await registry.present([build]);
      return found;
    });
    yield { documents: page.map(toStored), checkpoint: begun?.checkpoint };
    if (page.length < pageSize) return;
    after = page.at(-1)?._id ?? after;
  }
}
