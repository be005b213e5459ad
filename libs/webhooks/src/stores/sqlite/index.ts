export * from './sqlite-delivery-store.js';
