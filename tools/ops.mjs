// `npm run ops -- <command>`: the operators' command line.
import { buildAndRun } from './build-and-run.mjs';

await buildAndRun('bundle/ops.js');
