import fc from 'fast-check';
import type { FieldChange } from '@refledger/contracts';
import { changesBetween, type Fields } from './changes-between.js';

const fields = ['status', 'terms', 'metadata', 'note'];
const between = (before: Fields, after: Fields): FieldChange[] =>
  changesBetween(before, after, fields);

it('lists what differs, in the order of the fields and not of the values', () => {
  expect(
    between(
      { note: 'a', status: 'pending', other: 1 },
      { status: 'approved', note: 'b', other: 2 },
    ),
  ).toEqual([
    { path: '/status', before: 'pending', after: 'approved' },
    { path: '/note', before: 'a', after: 'b' },
  ]);
});

it('counts a missing value as null', () => {
  expect(between({}, { status: 'pending', note: null })).toEqual([
    { path: '/status', before: null, after: 'pending' },
  ]);
  expect(between({ status: 'pending' }, {})).toEqual([
    { path: '/status', before: 'pending', after: null },
  ]);
});

it('compares metadata key by key', () => {
  expect(
    between(
      { metadata: { same: '1', removed: '2', changed: '3' } },
      { metadata: { added: '', changed: '4', same: '1' } },
    ),
  ).toEqual([
    { path: '/metadata/removed', before: '2', after: null },
    { path: '/metadata/changed', before: '3', after: '4' },
    { path: '/metadata/added', before: null, after: '' },
  ]);
});

it('compares any other value as a whole, in whatever order its fields are', () => {
  const terms = { type: 'flat', amounts: { USD: 1, EUR: 2 }, steps: [1, 2] };
  const reordered = { steps: [1, 2], amounts: { EUR: 2, USD: 1 }, type: 'flat' };
  expect(between({ terms }, { terms: reordered })).toEqual([]);
  for (const other of [null, 'flat', { ...terms, steps: [2, 1] }, { ...terms, more: 1 }])
    expect(between({ terms }, { terms: other })).toEqual([
      { path: '/terms', before: terms, after: other },
    ]);
});

it('escapes the keys of metadata as JSON pointers do', () => {
  expect(between({}, { metadata: { 'a/b~c': '1' } })).toEqual([
    { path: '/metadata/a~1b~0c', before: null, after: '1' },
  ]);
});

it('treats every metadata key as a key and nothing else', () => {
  for (const key of ['constructor', '__proto__', 'toString']) {
    const metadata: unknown = JSON.parse(`{ ${JSON.stringify(key)}: "1" }`);
    expect(between({ metadata: {} }, { metadata })).toEqual([
      { path: `/metadata/${key}`, before: null, after: '1' },
    ]);
  }
});

const key = fc.constantFrom('a', 'b', '~', '/', '~1', 'constructor', '');
const value = fc.oneof(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 1 }));
const version = fc.record({
  status: value,
  terms: fc.oneof(fc.constant(null), fc.dictionary(key, value)),
  metadata: fc.dictionary(key, fc.constantFrom('a', 'b'), { noNullPrototype: true }),
  note: fc.oneof(fc.constant(null), value),
});

it('has exactly the changes that make one version of a record into another', () => {
  fc.assert(
    fc.property(version, version, (before, after) => {
      const changes = between(before, after);
      expect(applied(changes, before)).toEqual(after);
      expect(new Set(changes.map(({ path }) => path)).size).toBe(changes.length);
      expect(between(after, after)).toEqual([]);
    }),
  );
});

it('read backward, turns the later version into the earlier one', () => {
  fc.assert(
    fc.property(version, version, (before, after) => {
      const back = between(before, after).map((change) => ({
        ...change,
        before: change.after,
        after: change.before,
      }));
      expect(applied(back, after)).toEqual(before);
    }),
  );
});

/** Returns the record after these changes, by the rules of RFC 6901. */
const applied = (changes: readonly FieldChange[], before: Fields): Fields => {
  const record = structuredClone(before) as Record<string, unknown>;
  for (const { path, before: expected, after } of changes) {
    const [field = '', inner] = path
      .slice(1)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const target = (inner === undefined ? record : record[field]) as Record<string, unknown>;
    const name = inner ?? field;
    expect(Object.hasOwn(target, name) ? target[name] : null).toEqual(expected);
    if (inner !== undefined && after === null) delete target[name];
    else target[name] = after;
  }
  return record;
};
