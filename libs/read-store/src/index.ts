export { chooseIndex } from './choose-index.js';
export { openReadStore } from './open-read-store.js';
export * from './read-store.js';
export { buildingBuild, readableBuild } from './readable-build.js';
