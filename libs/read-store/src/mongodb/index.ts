export { openMongodbReadStore } from './mongodb-read-store.js';
