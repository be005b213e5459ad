// nothing else of the platform is loaded before the young generation is kept small
import { boundOldGeneration } from '@refledger/platform/old-generation';
import { collectYoungGenerationAlone, growYoungGeneration } from './young-generation.js';

collectYoungGenerationAlone();
boundOldGeneration();
growYoungGeneration(false);
const { run } = await import('./run.js');
await run();
growYoungGeneration(true);
