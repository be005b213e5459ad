// `npm test`: builds, checks formatting, lints, looks for unused code, checks types, runs every
// suite except those of `npm run faults`, and tries docker-compose.yml. Ends with one line that
// counts all tests.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { projects } from './projects.mjs';
import { runSuites } from './run-suites.mjs';
import { conclude } from './tally.mjs';

const root = join(import.meta.dirname, '..');
const args = process.argv.slice(2);
const workspaces = projects(root).filter((workspace) => workspace !== 'faults');
const tally = await runSuites({
  targets: ['build', 'format', 'lint', 'knip', 'typecheck', 'test'],
  workspaces,
  args,
});
// part of a full run only; 2 means that it cannot run here and has said so
const compose =
  args.length > 0
    ? 2
    : spawnSync(process.execPath, [join(root, 'tools/test-compose.mjs')], {
        cwd: root,
        stdio: 'inherit',
      }).status;
if (compose === 0) tally.passed += 1;
else if (compose !== 2) tally.failed += 1;
conclude('npm test', tally);
