import { dataFolder, openByScheme, type AdapterTable } from '@refledger/engines';
import type { OpenDeliveryReader } from './delivery-store.js';
import type { OpenDeliveryStoreOptions } from './open-delivery-store-options.js';

type Options = Pick<OpenDeliveryStoreOptions, 'dataDir'>;

/**
 * Opens the deliveries that a URL names, to read them. It never creates a store. Throws a
 * `DeliveryStoreError`: `unavailable` while there is none.
 */
export const openDeliveryReader = (url: string, options: Options): Promise<OpenDeliveryReader> =>
  openByScheme(adapters, url, options);

type Adapters = AdapterTable<Options, OpenDeliveryReader>;

const mongodb: Adapters[string] = async (url) =>
  (await import('./mongodb/index.js')).openMongodbDeliveryReader({ url });

const adapters: Adapters = {
  'sqlite:': async (_url, { dataDir }) =>
    (await import('./sqlite/index.js')).openSqliteDeliveryReader(dataFolder(dataDir).deliveries),
  'mongodb:': mongodb,
  'mongodb+srv:': mongodb,
};
