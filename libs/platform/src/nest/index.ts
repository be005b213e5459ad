export { startBatches } from './start-batches.js';
