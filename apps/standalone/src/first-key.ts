import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Keeps the first API key in a file that only its owner reads; what is there already counts. Answers the key that counts. */
export const keepFirstKeyIn = (path: string) => (fresh: string): string => {
  try {
    const file = openSync(path, 'wx', 0o600);
    try {
      writeSync(file, `${fresh}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return fresh;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const kept = readFileSync(path, 'utf8').trim();
    if (kept === '') throw new Error(`${path} is empty: it should hold the first API key. Remove it to have a new one made.`, { cause: error });
    return kept;
  }
};
