import { lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { writeDurably } from '@refledger/sqlite';

/**
 * Returns the line in a file that only its owner can read (mode 0600), and creates the file if it
 * does not exist. A crash leaves the file complete and durable, or not there at all. The caller
 * holds the directory's lock, so no other process creates the file at the same time.
 */
export const readOrCreateFile = async (path: string, make: () => string): Promise<string> => {
  // a link to a key that is not there now must not be replaced by a new key
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    return (await readFile(path, 'utf8')).trim();
  const line = make();
  await writeDurably(path, `${line}\n`);
  return line;
};
