export { endpointVersion } from './endpoint-version.js';
export { ManualClock } from './manual-clock.js';
