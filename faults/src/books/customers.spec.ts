import type { SentTerms } from '@refledger/testing';
import { exclusionOf } from './customers.js';

const terms = (recurring?: SentTerms['recurring']): SentTerms => ({
  type: 'percentage',
  rate_bps: 1_000,
  ...(recurring !== undefined && { recurring }),
});
const at = (occurred: string, first?: string) => ({
  occurredAt: new Date(occurred),
  first: first === undefined ? null : { id: 'conv_1', occurredAt: new Date(first) },
});
const later = at('2026-02-01T12:00:00Z', '2024-01-31T12:00:00Z');

it.each([null, terms(), terms('every')])('every sale earns under %j', (each) =>
  expect(exclusionOf(each, later)).toBeNull(),
);

it('only the first sale earns, or one without a customer', () => {
  expect(exclusionOf(terms('first'), at('2026-02-01T12:00:00Z'))).toBeNull();
  expect(exclusionOf(terms('first'), later)).toBe('not_first');
  expect(exclusionOf(terms('first'), at('2023-01-01T00:00:00Z', '2024-01-31T12:00:00Z'))).toBe(
    'not_first',
  );
});

it.each([
  [1, '2024-01-31T12:00:00Z', '2024-02-29T12:00:00Z'],
  [1, '2023-01-31T12:00:00Z', '2023-02-28T12:00:00Z'],
  [1, '2024-02-29T12:00:00Z', '2024-03-29T12:00:00Z'],
  [3, '2024-11-30T12:00:00Z', '2025-02-28T12:00:00Z'],
  [12, '2024-02-29T12:00:00Z', '2025-02-28T12:00:00Z'],
])('for %i months after %s a sale earns before %s', (months, first, end) => {
  const before = new Date(Date.parse(end) - 1).toISOString();
  expect(exclusionOf(terms({ months }), at(first))).toBeNull();
  expect(exclusionOf(terms({ months }), at(before, first))).toBeNull();
  expect(exclusionOf(terms({ months }), at(end, first))).toBe('after_duration');
  expect(exclusionOf(terms({ months }), at('2020-01-01T00:00:00Z', first))).toBeNull();
});
