export * from './accounts/bootstrap.js';
export * from './start-gateway.js';
