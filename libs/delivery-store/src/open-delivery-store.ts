import { dataFolder, openByScheme, type AdapterTable } from '@refledger/engines';
import type { DeliveryStore } from './delivery-store.js';

/** Options that the adapters need besides the URL. Each uses those that apply to its engine. */
export interface OpenDeliveryStoreOptions {
  /** The data directory, where `sqlite:` keeps its file. */
  readonly dataDir: string;
  /** Called when the store has crashed: all further calls fail, so the process should end. */
  readonly onCrash?: (error: Error) => void;
}

/** Opens the deliveries that a URL names. Throws a `DeliveryStoreError`. */
export const openDeliveryStore = (
  url: string,
  options: OpenDeliveryStoreOptions,
): Promise<DeliveryStore> => openByScheme(adapters, url, options);

type Adapters = AdapterTable<OpenDeliveryStoreOptions, DeliveryStore>;

const mongodb: Adapters[string] = async (url) =>
  (await import('./mongodb/index.js')).openMongodbDeliveryStore({ url });

const adapters: Adapters = {
  'sqlite:': async (_url, { dataDir, ...options }) =>
    (await import('./sqlite/index.js')).openSqliteDeliveryStore({
      file: dataFolder(dataDir).deliveries,
      ...options,
    }),
  'mongodb:': mongodb,
  'mongodb+srv:': mongodb,
};
