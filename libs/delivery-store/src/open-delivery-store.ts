import { dataFolder, openByScheme, type AdapterTable } from '@refledger/engines';
import type { DeliveryStore } from './delivery-store.js';
import type { OpenDeliveryStoreOptions } from './open-delivery-store-options.js';

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
