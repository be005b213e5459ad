// Code that the MongoDB adapters of other ports share with the read store.
export { connectMongodb } from './connection.js';
export { duplicateKey, ignoring, toMongodbFailure } from './failure.js';
export { insertNew } from './insert-new.js';
export { requireKeys } from './require-keys.js';
