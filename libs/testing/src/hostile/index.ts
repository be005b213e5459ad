export * from './fuzz.suite.js';
export * from './raw-requests.suite.js';
export * from './slow-requests.suite.js';
