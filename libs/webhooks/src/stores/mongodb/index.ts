export * from './delivery-intake.js';
export * from './mongodb-delivery-store.js';
