// Limit the young generation before the rest of the platform is loaded.
import { boundOldGeneration } from '@refledger/platform/old-generation';
import { collectYoungGenerationAlone, growYoungGeneration } from './young-generation.js';

collectYoungGenerationAlone();
boundOldGeneration();
growYoungGeneration(false);
const { run } = await import('./run.js');
await run();
growYoungGeneration(true);
