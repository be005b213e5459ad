export * from './relay-figures.js';
export * from './start-relay.js';
