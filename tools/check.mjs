// `npm run check`: formatting, lint, unused code, import cycles, types, and generated documents.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from './build.mjs';
import { conclude } from './tally.mjs';

const root = join(import.meta.dirname, '..');
const checks = ['format', 'lint', 'knip', 'cycles', 'typecheck', 'generated'];

const passes =
  (await build()) &&
  spawnSync(
    join(root, 'node_modules/.bin/nx'),
    [
      'run-many',
      '-t',
      ...checks,
      '--parallel=2',
      '--output-style=static',
      ...process.argv.slice(2),
    ],
    { cwd: root, stdio: 'inherit' },
  ).status === 0;
conclude('npm run check', {
  passed: passes ? checks.length : 0,
  failed: passes ? 0 : 1,
  skipped: 0,
  failures: passes ? [] : ['npm run check: see above'],
});
