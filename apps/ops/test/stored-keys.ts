import { openKeyReader, type KeyRow } from '@refledger/key-store';

/** All rows of a key store. */
export const keyRowsOf = async (url: string, dataDir: string): Promise<readonly KeyRow[]> => {
  const keys = await openKeyReader(url, { dataDir });
  const all: KeyRow[] = [];
  for await (const rows of keys.scan()) all.push(...rows);
  await keys.close();
  return all;
};
