import { randomUUID } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '@refledger/sqlite';

/**
 * Returns the line in a file that only its owner can read (mode 0600), and creates the file if it
 * does not exist. If several processes start at once, one creates it and all return the same line.
 * A crash leaves the file complete and durable, or not there at all.
 */
export const readOrCreateFile = async (path: string, make: () => string): Promise<string> =>
  ((await readIfThere(path)) ?? (await create(path, make()))).trim();

const readIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

/**
 * Writes a draft in the same folder and links it to the path, because linking fails if the path
 * exists.
 */
const create = async (path: string, line: string): Promise<string> => {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeDurably(draft, `${line}\n`);
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  await syncDirectory(dirname(path));
  return readFile(path, 'utf8');
};

const writeDurably = async (path: string, text: string): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;
