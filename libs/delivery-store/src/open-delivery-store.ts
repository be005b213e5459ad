import { dataDirectory, openByScheme, type AdapterTable } from '@refledger/engines';
import type { DeliveryStore, OpenDeliveryReader } from './delivery-store.js';
import type { OpenDeliveryStoreOptions } from './open-delivery-store-options.js';

/** Opens the deliveries that a URL names. Throws a `DeliveryStoreError`. */
export const openDeliveryStore = async (
  url: string,
  options: OpenDeliveryStoreOptions,
): Promise<DeliveryStore> => (await openByScheme(adapters, url, options)).store();

/**
 * Opens the deliveries that a URL names, to read them. It never creates a store. Throws a
 * `DeliveryStoreError`: `unavailable` while there is none.
 */
export const openDeliveryReader = async (
  url: string,
  options: Pick<OpenDeliveryStoreOptions, 'dataDir'>,
): Promise<OpenDeliveryReader> => (await openByScheme(adapters, url, options)).reader();

type Adapters = AdapterTable<
  OpenDeliveryStoreOptions,
  { store(): Promise<DeliveryStore>; reader(): Promise<OpenDeliveryReader> }
>;

const mongodb: Adapters[string] = async (url) => {
  const adapter = await import('./mongodb/index.js');
  return {
    store: () => adapter.openMongodbDeliveryStore({ url }),
    reader: () => adapter.openMongodbDeliveryReader({ url }),
  };
};

const adapters: Adapters = {
  'sqlite:': async (_url, { dataDir, ...options }) => {
    const file = dataDirectory(dataDir).deliveries;
    const adapter = await import('./sqlite/index.js');
    return {
      store: () => adapter.openSqliteDeliveryStore({ file, ...options }),
      reader: () => adapter.openSqliteDeliveryReader(file),
    };
  },
  'mongodb:': mongodb,
  'mongodb+srv:': mongodb,
};
