// What adapters of other ports on MongoDB share with the read store.
export * from './connection.js';
export * from './failure.js';
export * from './insert-new.js';
