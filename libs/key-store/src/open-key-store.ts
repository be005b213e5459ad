import { dataDirectory, openByScheme, type AdapterTable } from '@refledger/engines';
import type { KeyReader, KeyStore } from './key-store.js';
import type { OpenKeyStoreOptions } from './open-key-store-options.js';

/** Opens the keys that a URL names. Throws a `KeyStoreError`. */
export const openKeyStore = async (url: string, options: OpenKeyStoreOptions): Promise<KeyStore> =>
  (await openByScheme(adapters, url, options)).store(options);

/** Opens existing keys to read them. Throws a `KeyStoreError`: `absent` if there is no store. */
export const openKeyReader = async (
  url: string,
  options: Pick<OpenKeyStoreOptions, 'dataDir'>,
): Promise<KeyReader> => (await openByScheme(adapters, url, options)).reader();

type Adapters = AdapterTable<
  Pick<OpenKeyStoreOptions, 'dataDir'>,
  {
    store(options: Omit<OpenKeyStoreOptions, 'dataDir'>): Promise<KeyStore>;
    reader(): Promise<KeyReader>;
  }
>;

const mongodb: Adapters[string] = async (url) => {
  const adapter = await import('./mongodb/index.js');
  return {
    store: ({ create, newId }) => adapter.openMongodbKeyStore({ url, create, newId }),
    reader: () => adapter.openMongodbKeyStore({ url, create: false, readOnly: true }),
  };
};

const adapters: Adapters = {
  'sqlite:': async (_url, { dataDir }) => {
    const file = dataDirectory(dataDir).personalKeys;
    const adapter = await import('./sqlite/index.js');
    return {
      store: (options) => adapter.openSqliteKeyStore({ file, ...options }),
      reader: () => adapter.openSqliteKeyReader(file),
    };
  },
  'mongodb:': mongodb,
  'mongodb+srv:': mongodb,
};

/** Where operators find the keys that a URL names: in a file, or by the setting. */
export const placeOfKeys = (
  url: string,
  options: Pick<OpenKeyStoreOptions, 'dataDir'>,
): Promise<string> => openByScheme(places, url, options);

const setting = () => Promise.resolve('KEY_STORE_URL');

const places: AdapterTable<Pick<OpenKeyStoreOptions, 'dataDir'>, string> = {
  'sqlite:': (_url, { dataDir }) => Promise.resolve(dataDirectory(dataDir).personalKeys),
  'mongodb:': setting,
  'mongodb+srv:': setting,
};
