export * from './choose-server.js';
export * from './describe-with-server.js';
export * from './environment-server.js';
export * from './installed-server.js';
export * from './kafka-server.js';
export * from './mongodb-server.js';
export * from './server-process.js';
export * from './test-server.js';
