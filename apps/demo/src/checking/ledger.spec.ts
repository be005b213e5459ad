import type { Sale } from './books.js';
import { closeLedger, figuresOf } from './ledger.js';

const sales: Sale[] = [
  { number: 'a', status: 'approved', amount: 4_950, currency: 'USD' },
  { number: 'b', status: 'pending', amount: 50, currency: 'USD' },
  { number: 'c', status: 'refunded', amount: 2_800, currency: 'JPY' },
];
const figures = figuresOf(sales);
const all = { sent: figures, stored: figures, counted: figures, delivered: figures };

it('adds up by status and by currency, never across currencies', () => {
  expect(figures).toEqual({
    orders: 3,
    pending: 1,
    approved: 1,
    rejected: 0,
    refunded: 1,
    USD: 5_000,
    EUR: 0,
    JPY: 2_800,
  });
});

it('agrees when all sources have the same figures and every check passes', () => {
  const ledger = closeLedger(all, [{ label: 'signatures', found: '9 of 9', holds: true }]);
  expect(ledger.agrees).toBe(true);
  expect(ledger.rows.map(({ label, currency }) => currency ?? label)).toEqual([
    'orders',
    'pending',
    'approved',
    'rejected',
    'refunded',
    'USD',
    'EUR',
    'JPY',
  ]);
});

it.each(['sent', 'stored', 'counted', 'delivered'])(
  'does not agree when only the %s figures differ, by one cent or by a missing sale',
  (place) => {
    for (const other of [{ ...figures, USD: 4_999 }, figuresOf(sales.slice(1)), {}]) {
      const ledger = closeLedger({ ...all, [place]: other }, []);
      expect(ledger.agrees).toBe(false);
      expect(ledger.rows.some(({ agrees }) => !agrees)).toBe(true);
    }
  },
);

it('does not agree when a check fails, even if all figures are equal', () => {
  expect(closeLedger(all, [{ label: 'signatures', found: '8 of 9', holds: false }]).agrees).toBe(
    false,
  );
});
