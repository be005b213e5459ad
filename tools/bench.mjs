// `npm run bench`: the figures of the service, each beside its yardstick.
import { buildAndRun } from './build-and-run.mjs';

await buildAndRun('bench', ['apps/standalone']);
