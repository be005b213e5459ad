export { scanPages } from './scan-pages.js';
