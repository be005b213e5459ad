import { dataDirectory, openByScheme, type AdapterTable } from '@refledger/engines';
import type { OpenReadStoreOptions } from './open-read-store-options.js';
import type { ReadStore } from './read-store.js';

/** Opens the read models that a URL names. Throws a `ReadStoreError`. */
export const openReadStore = (url: string, options: OpenReadStoreOptions): Promise<ReadStore> =>
  openByScheme(adapters, url, options);

type Adapters = AdapterTable<OpenReadStoreOptions, ReadStore>;

const mongodb: Adapters[string] = async (url, options) =>
  (await import('./mongodb/index.js')).openMongodbReadStore({ url, ...options });

const adapters: Adapters = {
  'sqlite:': async (_url, { dataDir, mode }) =>
    (await import('./sqlite/index.js')).openSqliteReadStore({
      file: dataDirectory(dataDir).readModels,
      mode,
    }),
  'mongodb:': mongodb,
  'mongodb+srv:': mongodb,
};
