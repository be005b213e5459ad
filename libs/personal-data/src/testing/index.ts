export { EveryKey } from './every-key.js';
