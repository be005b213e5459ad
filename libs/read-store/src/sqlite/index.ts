export { readModelsFormat } from './read-store.format.js';
export { openSqliteReadStore } from './sqlite-read-store.js';
