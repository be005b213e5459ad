export * from './batch.strategy.js';
export * from './handler-errors.filter.js';
