// `npm run bench`: measures the service, each figure beside its yardstick.
import { buildAndRun } from './build-and-run.mjs';

await buildAndRun('bench', ['apps/standalone']);
