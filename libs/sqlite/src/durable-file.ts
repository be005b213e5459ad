import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from './sync-directory.js';

/**
 * Writes a file durably, for its owner only; a crash leaves either the old file or the new one.
 * Only one process may write it at a time.
 */
export const writeDurably = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.new`;
  // a crash may have left it
  await rm(draft, { force: true });
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncDirectory(dirname(path));
};

/** Removes a file durably, unless someone else has removed it. */
export const removeDurably = async (path: string): Promise<void> => {
  await rm(path, { force: true });
  await syncDirectory(dirname(path));
};
