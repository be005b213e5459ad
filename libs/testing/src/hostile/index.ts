export * from './fuzz.suite.js';
