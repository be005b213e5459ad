import fc from 'fast-check';
import { derivedId, eventIdOf, hashOf, idPrefixes, idSchema, newCommandId, newId, programIdSchema, publicEventId, uuidV5 } from './ids.js';
import type { IdKind } from './ids.js';

const kinds = Object.keys(idPrefixes) as IdKind[];
const parts = fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 4 });

describe.each(kinds)('an id of a %s', (kind) => {
  it('is its prefix and 26 characters, random or derived', () => {
    const ids = [newId(kind), newId(kind), derivedId(kind, 'a')];
    for (const id of ids) expect(idSchema(kind).parse(id)).toMatch(new RegExp(`^${idPrefixes[kind]}[0-9a-hjkmnp-tv-z]{26}$`));
    expect(new Set(ids).size).toBe(3);
  });

  it('is refused with another prefix, length or letter', () => {
    const id = newId(kind);
    for (const wrong of [id.slice(0, -1), `${id}0`, id.toUpperCase(), id.replace(idPrefixes[kind], 'x_'), `${id.slice(0, -1)}u`, '']) expect(idSchema(kind).safeParse(wrong).success).toBe(false);
  });
});

describe('a derived id', () => {
  it('is the same for the same parts, and another for others', () => {
    fc.assert(fc.property(parts, parts, (a, b) => {
      expect(derivedId('conversion', ...a) === derivedId('conversion', ...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      expect(hashOf(...a).equals(hashOf(...b))).toBe(JSON.stringify(a) === JSON.stringify(b));
    }));
  });

  it('differs with the kind', () => {
    expect(derivedId('conversion', 'a').slice(-26)).not.toBe(derivedId('affiliate', 'a').slice(-26));
  });

  it('never changes from release to release', () => {
    expect(derivedId('conversion', 'acct_1', 'external_transaction_id', 'tx-1')).toBe('conv_6wq3qykg576gcbrdk4bcjsw57g');
  });
});

describe('a UUID of version 5', () => {
  it('is that of RFC 9562, appendix A.4', () => {
    expect(uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
  });

  it('of an event differs with command, stream, try and index', () => {
    const command = newCommandId();
    const ids = [eventIdOf(command, 's', 0, 0), eventIdOf(newCommandId(), 's', 0, 0), eventIdOf(command, 't', 0, 0), eventIdOf(command, 's', 1, 0), eventIdOf(command, 's', 0, 1)];
    expect(new Set(ids).size).toBe(5);
    expect(eventIdOf(command, 's', 0, 0)).toBe(ids[0]);
  });

  it('becomes the public id of the event', () => {
    expect(publicEventId('00000000-0000-0000-0000-000000000000')).toBe(`evt_${'0'.repeat(26)}`);
    expect(publicEventId('ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe(`evt_${'z'.repeat(25)}w`);
  });
});

it.each([['prog_a', true], ['prog_A-_9', true], [`prog_${'a'.repeat(64)}`, true], ['prog_', false], [`prog_${'a'.repeat(65)}`, false], ['prog_a b', false], ['prog_é', false], ['Prog_a', false], ['prog_a\n', false]])('%j as the id of a program: %s', (id, ok) => {
  expect(programIdSchema.safeParse(id).success).toBe(ok);
});
