export * from './start-projector.js';
export * from './projector-figures.js';
