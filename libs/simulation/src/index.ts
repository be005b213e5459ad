export { systemClock } from './clock.js';
export { newSimulatedLog } from './event-log/new-log.js';
export { SimulatedEngines } from './simulated-engines.js';
