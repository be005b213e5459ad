import { csvText } from './csv-text.js';

it.each([
  ['=1+1', "'=1+1"],
  ['+49 30 123', "'+49 30 123"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
  // nothing else is changed
  ['', ''],
  ['Bonus = 1', 'Bonus = 1'],
  ["'=1", "'=1"],
  [' =1', ' =1'],
  ['aff_1', 'aff_1'],
])('%j is the text %j', (text, cell) => {
  expect(csvText(text)).toBe(cell);
});
