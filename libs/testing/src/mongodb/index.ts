export { dropDatabase } from './drop-database.js';
export { openRawMongodb } from './raw-client.js';
export { storedDocuments } from './stored-documents.js';
