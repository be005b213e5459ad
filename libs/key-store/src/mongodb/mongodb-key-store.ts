import { connectMongodb, ensureIndexes } from '@refledger/mongodb';
import type { KeyStore } from '../key-store.js';
import { scanPages } from '../scan-pages.js';
import { keyIndexes, type KeyDocument, type StoreDocument } from './key-document.js';
import { reading, writing } from './keys.js';
import { asStoreErrors, withStoreErrors } from './store-errors.js';
import { storeState } from './store-state.js';

export interface MongodbKeyStoreOptions {
  /** `mongodb://…` or `mongodb+srv://…`, with user, TLS and database name. */
  readonly url: string;
  readonly create: boolean;
  readonly newId?: string | undefined;
  /** Whether the caller only reads, and may lack the right to create indexes; default false. */
  readonly readOnly?: boolean;
}

/**
 * Opens keys in the collection `personal_keys` of a MongoDB database that several services share.
 * Throws a `KeyStoreError` that names the collection.
 */
export const openMongodbKeyStore = ({
  url,
  create,
  newId,
  readOnly = false,
}: MongodbKeyStoreOptions): Promise<KeyStore> =>
  asStoreErrors(async () => {
    const connection = await connectMongodb(url, 'refledger-key-store');
    const { db } = connection;
    // a read never shows what a new primary might not have
    const committed = { readConcern: 'majority', readPreference: 'primary' } as const;
    const keys = db.collection<KeyDocument>('personal_keys');
    const committedKeys = db.collection<KeyDocument>('personal_keys', committed);
    const state = storeState(db.collection<StoreDocument>('personal_keys', committed));
    try {
      const id = await (create ? state.createId(newId) : state.id());
      // an earlier release may have created the store with fewer indexes
      if (!readOnly) await ensureIndexes(keys, keyIndexes);
      const { rows, claimedRows, ...read } = withStoreErrors(reading(committedKeys));
      return {
        id,
        ...read,
        scan: (after) => scanPages(rows, after),
        scanClaimed: (putBefore) =>
          scanPages((after, limit) => claimedRows(putBefore, after, limit)),
        ...withStoreErrors(writing(keys, committedKeys)),
        ...withStoreErrors({
          checkpoint: () => state.checkpoint(),
          saveCheckpoint: (checkpoint) => state.saveCheckpoint(checkpoint),
        } satisfies Pick<KeyStore, 'checkpoint' | 'saveCheckpoint'>),
        close: () => connection.close(),
      };
    } catch (error) {
      await connection.close();
      throw error;
    }
  });
