import { boundOldGeneration } from './old-generation.js';
import { collectYoungGenerationAlone, growYoungGeneration } from './young-generation.js';

collectYoungGenerationAlone();
boundOldGeneration();
growYoungGeneration(false);
const { run } = await import('./run.js');
await run();
growYoungGeneration(true);
