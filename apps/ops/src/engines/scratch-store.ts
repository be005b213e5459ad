import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadStore } from '@refledger/read-store';
import { openSqliteReadStore } from '@refledger/read-store/sqlite';

/**
 * Opens an empty read store on this machine, whatever engines the service has. It is deleted when
 * it is closed.
 */
export const openScratchStore = async (): Promise<ReadStore> => {
  const scratch = await mkdtemp(join(tmpdir(), 'refledger-ops-'));
  const remove = (): Promise<void> => rm(scratch, { recursive: true, force: true });
  try {
    const store = await openSqliteReadStore({
      file: join(scratch, 'read-models.db'),
      mode: 'write',
    });
    const close = store.close.bind(store);
    return Object.assign(store, { close: () => close().finally(remove) });
  } catch (error) {
    await remove();
    throw error;
  }
};
