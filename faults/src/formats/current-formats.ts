import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDeliveryStore } from '@refledger/delivery-store';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import { openKeyStore } from '@refledger/key-store';
import { formatIdsOf, type FormatIds } from './format-ids.js';

/** The formats that this build writes, read from stores that it has just created. */
export const currentFormats = async (): Promise<FormatIds> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'refledger-formats-'));
  const { EVENT_LOG_URL, DELIVERY_STORE_URL, KEY_STORE_URL } = embeddedUrls;
  try {
    const stores = [
      await openEventLog(EVENT_LOG_URL, { dataDir, mode: 'write' }),
      await openDeliveryStore(DELIVERY_STORE_URL, { dataDir }),
      await openKeyStore(KEY_STORE_URL, { dataDir, create: true }),
    ];
    await Promise.all(stores.map((store) => store.close()));
    return await formatIdsOf(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
};
