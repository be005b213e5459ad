// What the MongoDB adapters of other ports share with the read store.
export * from './connection.js';
export * from './failure.js';
export * from './insert-new.js';
