export { openByScheme, type AdapterTable } from './adapter-table.js';
export { dataFolder, makeDataFolder, type DataFolder } from './data-folder.js';
export { embeddedUrls, enginesOf, type Engines } from './supported-engines.js';
