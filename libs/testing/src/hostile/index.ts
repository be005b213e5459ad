export * from './connections.suite.js';
export * from './full-disk.suite.js';
export * from './fuzz.suite.js';
export * from './overload.suite.js';
export * from './raw-connection.js';
export * from './raw-requests.suite.js';
export * from './slow-requests.suite.js';
export * from './unprivileged.js';
