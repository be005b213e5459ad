import { open } from 'node:fs/promises';

/**
 * Makes a new name in a directory durable. Windows cannot open a directory and does not need this
 * step.
 */
export const syncDirectory = async (path: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
};
