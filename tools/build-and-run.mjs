import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { build } from './build.mjs';

const root = join(import.meta.dirname, '..');

/**
 * Builds what is out of date, and runs a built program (such as `bundle/ops.js`) in this process.
 */
export const buildAndRun = async (program) => {
  if (!existsSync(join(root, program)))
    process.stderr.write('building; this takes a minute the first time …\n');
  if (!(await alone(build))) process.exit(1);
  await import(pathToFileURL(join(root, program)).href);
};

/**
 * Runs one build at a time, even when several commands start at once, for example one per service.
 * The lock is SQLite's: it is released when its process ends, however that happens.
 */
const alone = async (work) => {
  mkdirSync(join(root, '.nx'), { recursive: true });
  const lock = new DatabaseSync(join(root, '.nx/building.db'), { timeout: 600_000 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return await work();
  } finally {
    lock.close();
  }
};
