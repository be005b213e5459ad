export * from './choose-index.js';
export * from './read-store.js';
export * from './readable-build.js';
