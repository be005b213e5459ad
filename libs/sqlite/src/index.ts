export * from './bound-limit.js';
export * from './copy-database.js';
export * from './database.js';
export * from './folder-lock.js';
export * from './sqlite-error.js';
export * from './storage-thread.js';
export * from './transaction.js';
export * from './change-notifier.js';
