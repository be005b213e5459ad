export { openMongodbDeliveryIntake, type DeliveryIntake } from './delivery-intake.js';
export { openMongodbDeliveryReader } from './mongodb-delivery-reader.js';
export { openMongodbDeliveryStore } from './mongodb-delivery-store.js';
