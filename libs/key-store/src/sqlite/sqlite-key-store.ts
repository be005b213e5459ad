import { randomUUID } from 'node:crypto';
import { canonicalPath, startThread } from '@refledger/sqlite';
import { KeyStoreError, type KeyStore } from '../key-store.js';
import type { OpenKeyStoreOptions } from '../open-key-store-options.js';
import type { KeyFile } from './key-file.js';
import type { KeyStoreThreadData } from './key-store.worker.js';
import { openSqliteKeyReader } from './sqlite-key-reader.js';
import { errorOf } from './store-failure.js';

export interface SqliteKeyStoreOptions extends Omit<OpenKeyStoreOptions, 'dataDir'> {
  readonly file: string;
}

/**
 * Opens keys in one SQLite file. A thread of its own writes the file, so that the main thread never
 * waits for the disk; the calling thread reads it. Throws a `KeyStoreError` that names the file.
 */
export const openSqliteKeyStore = async ({
  file,
  create,
  newId = randomUUID(),
  onCrash = () => undefined,
}: SqliteKeyStoreOptions): Promise<KeyStore> => {
  const path = canonicalPath(file);
  const workerData: KeyStoreThreadData = { file: path, create };
  // the compiled file, even when this module runs as TypeScript source (in tests)
  const script = new URL('../../dist/sqlite/key-store.worker.js', import.meta.url);
  const thread = startThread<KeyFile>({
    script,
    workerData,
    errorOf,
    unavailable: (cause) =>
      new KeyStoreError(
        'unavailable',
        `${path}: ${cause === undefined ? 'this key store was closed' : 'its thread has exited'}`,
      ),
  });
  const reader = await thread
    .call('id', create ? newId : undefined)
    .then(() => openSqliteKeyReader(path))
    .catch(async (error: unknown) => {
      await thread.close();
      throw error;
    });
  void thread.crashed.then(onCrash);

  return {
    ...reader,
    put: (owner, key) => thread.callSoon('put', owner, key),
    destroy: (affiliate, erasure) => thread.call('destroy', affiliate, erasure),
    rewrap: (owner, from, to) => thread.call('rewrap', owner, from, to),
    forgetClaims: (owner, claims, putAt) => thread.call('forgetClaims', owner, claims, putAt),
    saveCheckpoint: (checkpoint) => thread.call('saveCheckpoint', checkpoint),
    close: async () => {
      await reader.close();
      await thread.close();
    },
  };
};
