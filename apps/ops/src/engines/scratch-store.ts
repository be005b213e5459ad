import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedUrls } from '@refledger/engines';
import { openReadStore, type ReadStore } from '@refledger/read-store';

/**
 * Opens an empty read store on this machine, whatever engines the service has. It is deleted when
 * it is closed, or when the process exits.
 */
export const openScratchStore = async (): Promise<ReadStore> => {
  const scratch = await mkdtemp(join(tmpdir(), 'refledger-ops-'));
  const remove = (): void => {
    process.removeListener('exit', remove);
    rmSync(scratch, { recursive: true, force: true });
  };
  process.once('exit', remove);
  try {
    const store = await openReadStore(embeddedUrls.READ_STORE_URL, {
      dataDir: scratch,
      mode: 'write',
    });
    const close = store.close.bind(store);
    return Object.assign(store, { close: () => close().finally(remove) });
  } catch (error) {
    remove();
    throw error;
  }
};
