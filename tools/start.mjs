// `npm start`: the service with all its roles on the embedded engines.
import { buildAndRun } from './build-and-run.mjs';

await buildAndRun('apps/standalone');
