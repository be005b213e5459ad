export { startGateway, type Gateway } from './start-gateway.js';
