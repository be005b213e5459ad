export { startRelay } from './start-relay.js';
