export { newSimulatedLog } from './event-log/new-log.js';
