import { dataFolder, openByScheme, type AdapterTable } from '@refledger/engines';
import type { ReadStore } from './read-store.js';

/** Options that the adapters need besides the URL. Each uses those that apply to its engine. */
export interface OpenReadStoreOptions {
  /** The data directory, where `sqlite:` keeps its file. */
  readonly dataDir: string;
  /** `read` refuses writes. */
  readonly mode: 'write' | 'read';
  /**
   * Whether opening fails while a server is unavailable; if false, the first read fails. Default:
   * true.
   */
  readonly waitForServer?: boolean;
}

/** Opens the read models that a URL names. Throws a `ReadStoreError`. */
export const openReadStore = (url: string, options: OpenReadStoreOptions): Promise<ReadStore> =>
  openByScheme(adapters, url, options);

type Adapters = AdapterTable<OpenReadStoreOptions, ReadStore>;

const mongodb: Adapters[string] = async (url, options) =>
  (await import('./mongodb/index.js')).openMongodbReadStore({ url, ...options });

const adapters: Adapters = {
  'sqlite:': async (_url, { dataDir, mode }) =>
    (await import('./sqlite/index.js')).openSqliteReadStore({
      file: dataFolder(dataDir).readModels,
      mode,
    }),
  'mongodb:': mongodb,
  'mongodb+srv:': mongodb,
};
