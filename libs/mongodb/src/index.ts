export { connectMongodb, type MongodbConnection } from './connection.js';
export { idsOf } from './ids-of.js';
export { insertNew } from './insert-new.js';
export * from './mongodb-error.js';
export { ensureIndexes, requireKeys } from './indexes.js';
