export { openByScheme, type AdapterTable } from './adapter-table.js';
export { dataDirectory, makeDataDirectory, type DataDirectory } from './data-directory.js';
export { embeddedUrls, enginesOf, type Engines } from './supported-engines.js';
