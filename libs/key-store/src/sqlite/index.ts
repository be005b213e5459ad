export { openSqliteKeyReader } from './sqlite-key-reader.js';
export { openSqliteKeyStore } from './sqlite-key-store.js';
