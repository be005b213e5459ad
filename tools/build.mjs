// `npm run build`: compiles every workspace into its `dist`, and bundles the programs. Does only what
// has changed.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePrograms, isBundleCurrent } from './bundle.mjs';

const root = join(import.meta.dirname, '..');

/** Resolves to false if TypeScript reports errors, which it prints. */
export const build = async () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-b', '--noCheck'], {
    cwd: root,
    // the standard output may be that of the program that runs next
    stdio: ['ignore', process.stderr, 'inherit'],
  });
  if (status !== 0) return false;
  if (!isBundleCurrent()) await bundlePrograms();
  return true;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = (await build()) ? 0 : 1;
