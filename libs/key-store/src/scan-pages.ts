import type { KeyOwner, KeyRow } from './key-store.js';

/** Reads the first rows after an owner, in order; from the start if it is undefined. */
export type ReadRows = (after: KeyOwner | undefined, limit: number) => Promise<readonly KeyRow[]>;

/** Yields the pages of a scan, none of them empty. */
export async function* scanPages(
  read: ReadRows,
  start?: KeyOwner,
): AsyncGenerator<readonly KeyRow[]> {
  for (let after = start; ;) {
    const rows = await read(after, rowsPerPage);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < rowsPerPage) return;
    after = last.owner;
  }
}

const rowsPerPage = 500;
