export { openSqliteDeliveryStore } from './sqlite-delivery-store.js';
