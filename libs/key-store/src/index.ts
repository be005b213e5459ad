export {
  KeyStoreError,
  lostKey,
  type KeyCounts,
  type KeyOwner,
  type KeyReader,
  type KeyRow,
  type KeyStore,
  type NewKey,
  type StoredKey,
} from './key-store.js';
export { openKeyReader, openKeyStore, placeOfKeys } from './open-key-store.js';
