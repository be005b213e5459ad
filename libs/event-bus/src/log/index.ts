export * from './log-bus.js';
