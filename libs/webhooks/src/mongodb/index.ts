export * from './mongodb-delivery-store.js';
