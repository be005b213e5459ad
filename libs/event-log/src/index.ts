export * from './codec.js';
export * from './command-runner.js';
export * from './event-log-error.js';
export * from './event-log.js';
export * from './follower/index.js';
export * from './load-stream.js';
export * from './message-of.js';
export * from './open-when-there.js';
