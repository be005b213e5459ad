import { eventIdOf, type AffiliateId, type Position } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { openKeyReader, openKeyStore, type KeyRow } from '@refledger/key-store';
import { ids } from './sample-directory.js';

/** All rows of a key store. */
export const keyRowsOf = async (url: string, dataDir: string): Promise<readonly KeyRow[]> => {
  const keys = await openKeyReader(url, { dataDir });
  const all: KeyRow[] = [];
  for await (const rows of keys.scan()) all.push(...rows);
  await keys.close();
  return all;
};

/** Erases an affiliate in the key store only, as an event at this position would. */
export const destroyKeyIn = async (
  dataDir: string,
  affiliate: AffiliateId,
  position: string,
): Promise<void> => {
  const keys = await openKeyStore(embeddedUrls.KEY_STORE_URL, { dataDir, create: false });
  await keys.destroy(affiliate, {
    accountId: ids.account,
    eventId: eventIdOf('00000000-0000-4000-8000-000000000000', 'stream', 0, 0),
    position: position as Position,
    erasedAt: '2026-11-30T00:00:00.000Z',
  });
  await keys.close();
};
