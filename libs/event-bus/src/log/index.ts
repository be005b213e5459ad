export { offsetFault, openLogBus } from './log-bus.js';
