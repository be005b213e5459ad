export * from './delivery-store.js';
export * from './retry-schedule.js';
export * from './secret-box.js';
export * from './secrets-key.js';
export * from './sender.js';
export * from './signature.js';
export * from './target-guard.js';
