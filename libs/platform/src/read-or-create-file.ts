import { randomUUID } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.js';

/**
 * The line kept in a file that only its owner reads (mode 0600); made where there is no such file. Of several that start at once one makes
 * it and all answer the same. A crash leaves the file there, whole and durable, or not at all.
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

/** Written beside its place and linked into it: linking onto a file that is there fails. */
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
  await syncFolder(dirname(path));
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
