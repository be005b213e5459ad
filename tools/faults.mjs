// `npm run faults`: runs the suites of faults/ and those that run whole programs, which are
// inherently slow. With arguments (`-- --rounds N`): kills the service under load N times, and
// compares what it holds with a ledger.
import { buildAndRun } from './build-and-run.mjs';
import { runSuites } from './run-suites.mjs';
import { schemathesis } from './servers/schemathesis.mjs';
import { conclude } from './tally.mjs';

if (process.argv.length > 2) await buildAndRun('faults/dist/main.js');
else
  conclude(
    'npm run faults',
    await runSuites({
      targets: ['faults'],
      workspaces: ['apps/demo', 'bench', 'faults'],
      besides: [schemathesis],
    }),
  );
