// `npm run faults`: the fault-injection suites, and those that run whole programs. With arguments
// (`-- --rounds N`): kills the service under load N times, and compares what it holds with a ledger.
import { buildAndRun } from './build-and-run.mjs';
import { schemathesis } from './servers/schemathesis.mjs';
import { conclude } from './tally.mjs';
import { runSuitesWithServers } from './with-servers.mjs';

if (process.argv.length > 2) await buildAndRun('faults/dist/main.js');
else conclude('npm run faults', await runSuitesWithServers('faults', { besides: [schemathesis] }));
