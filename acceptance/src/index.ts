export { blackBox } from './black-box/groups.js';
export { filesOf, Words, wordsIn } from './personal-data/words.js';
