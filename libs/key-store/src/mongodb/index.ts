export { openMongodbKeyStore } from './mongodb-key-store.js';
