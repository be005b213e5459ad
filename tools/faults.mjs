// `npm run faults -- --rounds N`: kills the service under load and compares what it holds with a ledger.
import { buildAndRun } from './build-and-run.mjs';

await buildAndRun('faults', ['apps/standalone', 'apps/ops']);
