export { connectMongodb, type MongodbConnection } from './connection.js';
export { insertNew } from './insert-new.js';
export {
  duplicateKey,
  ignoring,
  MongodbError,
  namespaceNotFound,
  toMongodbError,
} from './mongodb-error.js';
export { requireKeys } from './require-keys.js';
