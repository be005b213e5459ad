import { open } from 'node:fs/promises';

/** Makes a new name in a folder durable. Windows can't open a folder, and needs no such step. */
export const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};
