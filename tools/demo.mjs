// `npm run demo`: a realistic day of a shop, live in the terminal.
import { buildAndRun } from './build-and-run.mjs';

await buildAndRun('apps/demo/dist/main.js');
