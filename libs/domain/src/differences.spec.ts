import fc from 'fast-check';
import { metadataArbitrary } from '../test/scenario.js';
import { differences, fieldNames } from './differences.js';

it('names each field that differs once, with both values', () => {
  const stored = { amount: 5_000, currency: 'USD', customer_id: null, metadata: { a: '1' } };
  const sent = { amount: 1, currency: 'USD', customer_id: 'c-17', metadata: { a: '2' } };
  const issues = differences<Record<string, unknown>>(sent, stored);
  expect(issues).toEqual([
    {
      path: '/amount',
      code: 'differs',
      message: 'amount differs: see sent and stored.',
      sent: 1,
      stored: 5_000,
    },
    {
      path: '/customer_id',
      code: 'differs',
      message: 'customer_id differs: see sent and stored.',
      sent: 'c-17',
      stored: null,
    },
    {
      path: '/metadata',
      code: 'differs',
      message: 'metadata differs: see sent and stored.',
      sent: { a: '2' },
      stored: { a: '1' },
    },
  ]);
  expect(fieldNames(issues)).toBe('amount, customer_id, metadata');
});

it('finds none between equal fields, whatever the order of their pairs', () => {
  fc.assert(
    fc.property(fc.option(fc.string()), fc.integer(), metadataArbitrary, (id, amount, metadata) => {
      const reversed = Object.fromEntries(Object.entries(metadata).reverse());
      expect(differences({ id, amount, metadata }, { metadata: reversed, amount, id })).toEqual([]);
    }),
  );
});

it('finds exactly the fields whose values are not equal', () => {
  const fields = fc.record({
    a: fc.constantFrom(null, 0, 1),
    b: fc.constantFrom('', 'x'),
    c: fc.constantFrom<Record<string, string>>({}, { k: '' }, { k: 'v' }),
  });
  fc.assert(
    fc.property(fields, fields, (sent, stored) => {
      const expected = (['a', 'b', 'c'] as const).filter(
        (field) => JSON.stringify(sent[field]) !== JSON.stringify(stored[field]),
      );
      expect(differences(sent, stored)).toMatchObject(
        expected.map((field) => ({
          path: `/${field}`,
          sent: sent[field],
          stored: stored[field],
        })),
      );
    }),
  );
});
