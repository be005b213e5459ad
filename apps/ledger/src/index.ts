export { startLedger } from './start-ledger.js';
