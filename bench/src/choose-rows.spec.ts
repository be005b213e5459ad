import { chooseRows } from './choose-rows.js';
import type { Row } from './row.js';
import { rows as allRows } from './rows/index.js';

const rows = [
  { name: 'a' },
  { name: 'b', onlyByName: true },
  { name: 'c' },
  { name: 'd', isDistributed: true },
].map((row): Row => ({
  title: '',
  figures: [],
  prepare: () => Promise.reject(new Error()),
  ...row,
}));
const names = (chosen: readonly Row[]): readonly string[] => chosen.map(({ name }) => name);

it.each([
  [[], false, ['a', 'c']],
  [[], true, ['d']],
  [['c', 'a'], false, ['a', 'c']],
  [['b'], true, ['b']],
  [['d'], false, ['d']],
])('for %j with distributed %j, chooses %j', (asked, distributed, taken) =>
  expect(names(chooseRows(rows, asked, distributed))).toEqual(taken),
);

it('names unknown rows', () => expect(() => chooseRows(rows, ['a', 'x', 'y'])).toThrow(/x, y/));

it('each row has a unique name', () => expect(new Set(names(allRows)).size).toBe(allRows.length));
