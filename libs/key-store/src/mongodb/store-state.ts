import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import type { Checkpoint } from '@refledger/contracts';
import { duplicateKey, ignoring } from '@refledger/mongodb';
import { KeyStoreError } from '../key-store.js';
import type { StoreDocument } from './key-document.js';

/** The format of a store's documents. A store of another format is refused. */
const storeFormat = 1;

/** Reads and changes the document of the store itself. */
export const storeState = (states: Collection<StoreDocument>) => {
  const name = `the collection ${states.namespace}`;

  const read = async (): Promise<StoreDocument> => {
    const state = await states.findOne({ _id: 'store' });
    if (state === null)
      throw new KeyStoreError('absent', `${name}: there is no key store here yet`);
    if (state.format !== storeFormat)
      throw new KeyStoreError(
        'unusable',
        `${name}: this key store has format ${state.format}, but this version reads format ${storeFormat}. Use the version that created it.`,
      );
    return state;
  };
  const id = async (): Promise<string> => (await read()).store_id;
  return {
    id,
    async createId(newId: string = randomUUID()): Promise<string> {
      await states
        .updateOne(
          { _id: 'store' },
          { $setOnInsert: { format: storeFormat, store_id: newId } },
          { upsert: true },
        )
        // another opening may have created it meanwhile
        .catch(ignoring(duplicateKey));
      return id();
    },
    checkpoint: async (): Promise<Checkpoint | undefined> => (await read()).checkpoint,
    async saveCheckpoint({ logId, position, eventId }: Checkpoint): Promise<void> {
      await states.updateOne(
        { _id: 'store' },
        { $set: { checkpoint: { logId, position, eventId } } },
      );
    },
  };
};
