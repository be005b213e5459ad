// `npm run bench`: measures the service and compares each figure with a baseline.
import { buildAndRun } from './build-and-run.mjs';

await buildAndRun('bench/dist/main.js');
