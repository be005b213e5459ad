export { openLogBus } from './log-bus.js';
