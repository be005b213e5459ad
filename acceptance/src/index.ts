export { blackBox } from './black-box/groups.js';
