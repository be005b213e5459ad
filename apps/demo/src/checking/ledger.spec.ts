import type { Sale } from '../day/sale.js';
import { closeLedger, figuresOf, paidFigures } from './ledger.js';

const sales: Sale[] = [
  { number: 'a', status: 'approved', amount: 4_950n, currency: 'USD', earned: 990n },
  { number: 'b', status: 'approved', amount: 50n, currency: 'USD', earned: 10n },
  { number: 'c', status: 'refunded', amount: 2_800n, currency: 'JPY', earned: 0n },
];
const payouts = [
  { currency: 'USD', amount: 600n },
  { currency: 'USD', amount: 400n },
];
const figures = { ...figuresOf(sales), ...paidFigures(payouts) };
const all = { sent: figures, stored: figures, counted: figures, delivered: figures };

it('adds up by status and by currency, never across currencies', () => {
  expect(figures).toEqual({
    orders: 3n,
    pending: 0n,
    approved: 2n,
    rejected: 0n,
    refunded: 1n,
    'USD sales': 5_000n,
    'USD earned': 1_000n,
    'USD paid': 1_000n,
    'EUR sales': 0n,
    'EUR earned': 0n,
    'EUR paid': 0n,
    'JPY sales': 2_800n,
    'JPY earned': 0n,
    'JPY paid': 0n,
  });
});

it('agrees when all sources have the same figures and every check passes', () => {
  const ledger = closeLedger(all, [{ label: 'signatures', found: '9 of 9', holds: true }]);
  expect(ledger.agrees).toBe(true);
  expect(ledger.rows.map(({ label, currency }) => [label, currency])).toEqual([
    ['orders', undefined],
    ['pending', undefined],
    ['approved', undefined],
    ['rejected', undefined],
    ['refunded', undefined],
    ['USD sales', 'USD'],
    ['USD earned', 'USD'],
    ['USD paid', 'USD'],
    ['EUR sales', 'EUR'],
    ['EUR earned', 'EUR'],
    ['EUR paid', 'EUR'],
    ['JPY sales', 'JPY'],
    ['JPY earned', 'JPY'],
    ['JPY paid', 'JPY'],
  ]);
});

it.each(['sent', 'stored', 'counted', 'delivered'])(
  'does not agree when only the %s figures differ, by one cent or by a missing sale',
  (place) => {
    for (const other of [
      { ...figures, 'USD sales': 4_999n },
      { ...figures, 'USD earned': 1_001n },
      { ...figures, 'USD paid': 999n },
      figuresOf(sales.slice(1)),
      {},
    ]) {
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
