import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';

const root = join(fileURLToPath(import.meta.url), '../..');

/**
 * Builds a workspace (such as `apps/ops`), its dependencies, and the workspaces in `besides`, each
 * only if its built files are out of date. Prints the build's output only if it fails. Then runs
 * the workspace's program in this process.
 */
export const buildAndRun = async (folder, besides = []) => {
  if (!existsSync(join(root, folder, 'dist/main.js')))
    process.stderr.write('building; this takes half a minute the first time …\n');
  const build = alone(() =>
    spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        '-b',
        '--noCheck',
        ...[folder, ...besides].map((path) => `${path}/tsconfig.lib.json`),
      ],
      { cwd: root, encoding: 'utf8' },
    ),
  );
  if (build.status !== 0) {
    process.stderr.write(`${build.stdout}${build.stderr}`);
    process.exit(1);
  }
  await import(pathToFileURL(join(root, folder, 'dist/main.js')).href);
};

/**
 * Runs one build at a time, even when several commands start at once, for example one per service.
 * The lock is SQLite's: it is released when its process ends, however that happens.
 */
const alone = (work) => {
  mkdirSync(join(root, '.nx'), { recursive: true });
  const lock = new DatabaseSync(join(root, '.nx/building.db'), { timeout: 600_000 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return work();
  } finally {
    lock.close();
  }
};
