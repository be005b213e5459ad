export { openMongodbDeliveryIntake, type DeliveryIntake } from './delivery-intake.js';
export { openMongodbDeliveryStore } from './mongodb-delivery-store.js';
