export { openSqliteDeliveryReader } from './sqlite-delivery-reader.js';
export { openSqliteDeliveryStore } from './sqlite-delivery-store.js';
