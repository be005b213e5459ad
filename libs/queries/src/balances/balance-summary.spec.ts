import type { Position } from '@refledger/contracts';
import type { BalanceFigures } from '@refledger/domain';
import { SummaryTotals } from './balance-summary.js';

const balance = (currency: string, open: BalanceFigures['open'], inPayout = 0n) =>
  ({ about: { currency }, open, inPayout }) as BalanceFigures;

it('adds up per currency, and keeps negative amounts separate', () => {
  const totals = new SummaryTotals('2026-11-22');
  totals.add(
    balance(
      'USD',
      [
        ['2026-11-22', 5n],
        ['2026-11-23', 2n ** 60n],
      ],
      1n,
    ),
  );
  totals.add(
    balance('USD', [
      ['2026-11-01', -7n],
      ['2026-11-22', 4n],
    ]),
  );
  totals.add(balance('EUR', [['2026-11-23', -1n]]));
  expect(totals.summary('9' as Position)).toEqual({
    object: 'balance_summary',
    on: '2026-11-22',
    currencies: [
      { currency: 'EUR', held: -1n, payable: 0n, negative: 0n, in_payout: 0n, balances: 1 },
      { currency: 'USD', held: 2n ** 60n, payable: 5n, negative: -3n, in_payout: 1n, balances: 2 },
    ],
    position: '9',
  });
});
