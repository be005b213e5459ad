import { growYoungGeneration } from './young-generation.js';

growYoungGeneration(false);
const { run } = await import('./run.js');
await run();
growYoungGeneration(true);
