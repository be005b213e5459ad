import { collectYoungGenerationAlone, growYoungGeneration } from './young-generation.js';

collectYoungGenerationAlone();
growYoungGeneration(false);
const { run } = await import('./run.js');
await run();
growYoungGeneration(true);
