import fc from 'fast-check';
import { searchQuery, termsOf, type SearchedValues } from './search-terms.js';

const ada: SearchedValues = {
  id: 'aff_0123456789',
  name: 'Ada King-Lovelace',
  email: 'Ada@example.com',
  external_id: 'user-42',
};
const named = (name: string): SearchedValues => ({ ...ada, name });
const finds = (q: string, values = ada): boolean | undefined => searchQuery(q)?.matches(values);

describe('termsOf', () => {
  it('has the prefixes of each word of the name, and of the id, email and external id as a whole', () => {
    expect([...termsOf(ada)]).toEqual([
      ...['aff', 'aff_0', 'aff_0123', 'aff_01234567'],
      ...['ada', 'kin', 'lov', 'lovel', 'lovelace'],
      ...['ada@e', 'ada@exam', 'ada@example.'],
      ...['use', 'user-'],
    ]);
  });

  it('counts code points, and compares compatible forms', () => {
    expect([...termsOf({ id: '', name: '𝓐𝓭𝓪', email: '𠮷𠮷𠮷𠮷', external_id: null })]).toEqual([
      'ada',
      '𠮷𠮷𠮷',
    ]);
  });

  it('has at most two terms per three characters of a name', () => {
    const words = Array.from({ length: 33 }, (_, index) => `${index + 10}abc`);
    const name = words.join(' ').slice(0, 200);

    expect(termsOf({ id: '', name, email: '', external_id: null }).size).toBe(66);
  });
});

describe('searchQuery', () => {
  it.each([
    ['ADA', true],
    ['lovel', true],
    ['king-lo', true],
    ['love ad', true],
    ['ada@example.com', true],
    ['USER-4', true],
    ['AFF_012', true],
    ['aff_1', false],
    ['0123456789', false],
    [' ada ', true],
    ['ada byron', false],
    ['ovelace', false],
    ['example', false],
    ['user-43', false],
    ['ada@king', false],
  ])('%j finds Ada: %s', (q, found) => {
    expect(finds(q)).toBe(found);
  });

  it('finds names of short words as a whole, and names in other scripts', () => {
    expect(finds('li na', named('Li Na'))).toBe(true);
    expect(finds('हिन्दी', named('श्री हिन्दी'))).toBe(true);
    expect(finds('ΟΔΥΣ', named('Οδυσσεύς'))).toBe(true);
    expect(finds('jose\u0301', named('José'))).toBe(true);
    expect(finds('J\u030cim', named('ǰim'))).toBe(true);
  });

  it.each(['', 'ab', ' ab ', '𠮷𠮷'])('rejects %j, which has fewer than 3 characters', (q) => {
    expect(searchQuery(q)).toBeNull();
  });

  it('selects by the longest term that fits', () => {
    const terms = (q: string): readonly string[] | undefined => searchQuery(q)?.terms;

    expect(terms('love')).toEqual(['lov']);
    expect(terms('Lovelaces')).toEqual(['lovelace']);
    expect(terms('ada@example.com')).toEqual(['ada@example.']);
    expect(terms('jo lovelace')).toEqual(['jo lovel', 'lovelace']);
    expect(terms('li na')).toEqual(['li na']);
  });

  it('law: what matches has one of the terms that select', () => {
    const word = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', 'Σ', 'ς', '1', '𠮷', 'e\u0301'), maxLength: 6 }),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    const text = fc
      .array(fc.tuple(word, fc.constantFrom(' ', '-', "'", '.', '@')), { maxLength: 4 })
      .map((parts) => parts.flat().join(''));
    const values = fc.record({ id: text, name: text, email: text, external_id: text });
    const matched = { yes: 0 };

    fc.assert(
      fc.property(values, fc.nat(20), fc.nat(20), (found, from, length) => {
        const characters = [...found.id, ...found.name, ...found.email, ...found.external_id].slice(
          from,
        );
        const query = searchQuery(characters.slice(0, length).join(''));
        if (query?.matches(found) !== true) return;
        matched.yes++;

        expect(query.terms.some((term) => termsOf(found).has(term))).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(matched.yes).toBeGreaterThan(100);
  });

  it('law: finds an affiliate by each prefix of a word, of the email and of the external id', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'B', 'é', '𠮷', '7'), minLength: 3 });

    fc.assert(
      fc.property(word, word, word, fc.nat(), (first, last, other, at) => {
        const name = `${first} ${last}`;
        const values = { id: 'aff_1', name, email: `${other}@b.example`, external_id: last };
        for (const found of [first, last, values.email]) {
          const characters = [...found];
          const q = characters.slice(0, 3 + (at % (characters.length - 2))).join('');

          expect(finds(q, values)).toBe(true);
        }
      }),
    );
  });
});
