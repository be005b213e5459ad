import type { KeyReader } from '@refledger/key-store';

/** How many rows there are. */
export const countRows = async (store: Pick<KeyReader, 'scan'>): Promise<number> => {
  let count = 0;
  for await (const rows of store.scan()) count += rows.length;
  return count;
};
