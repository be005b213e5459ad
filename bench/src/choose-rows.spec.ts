import { chooseRows } from './choose-rows.js';
import type { Row } from './row.js';
import { rows as allRows } from './rows/index.js';

const rows = [{ name: 'a' }, { name: 'b', onlyByName: true }, { name: 'c' }].map((row): Row => ({ title: '', figures: [], prepare: () => Promise.reject(new Error()), ...row }));
const names = (chosen: readonly Row[]): readonly string[] => chosen.map(({ name }) => name);

it.each([[[], ['a', 'c']], [['c', 'a'], ['a', 'c']], [['b'], ['b']]])('asked for %j it takes %j', (asked, taken) => expect(names(chooseRows(rows, asked))).toEqual(taken));

it('names what no row is called', () => expect(() => chooseRows(rows, ['a', 'x', 'y'])).toThrow(/x, y/));

it('each row has a name of its own', () => expect(new Set(names(allRows)).size).toBe(allRows.length));
