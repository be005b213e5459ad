import { newContext } from '@refledger/application';
import { noCommission, type Commission, type ConversionEvent } from '@refledger/contracts';
import { newMetrics, type Logger } from '@refledger/platform';
import { SalesWithoutTerms } from './sales-without-terms.js';

const sale = (program: string, commission: Commission = noCommission): ConversionEvent[] => [
  {
    type: 'conversion.created',
    data: {
      conversion_id: 'conv_1',
      affiliate_id: 'aff_1',
      program_id: `prog_${program}`,
      sale_currency: 'USD',
      occurred_at: '2026-01-01T00:00:00.000Z',
      payable_on: '2026-01-31',
      external_transaction_id: null,
      customer_id: null,
      basis: { reported_occurred_at: null, terms: null, first_occurred_at: null },
      after: {
        status: 'pending',
        sale_amount: 100,
        refunded_amount: 0,
        commission_amount: 0,
        commission,
        reason: null,
        metadata: {},
        payout_id: null,
      },
    },
  },
];
const explicit: Commission = { ...noCommission, source: 'explicit', why: 'explicit' };

it('counts every sale without terms, and warns of the first one of each program', async () => {
  const warn = jest.fn();
  const metrics = newMetrics();
  const noted = new SalesWithoutTerms({ metrics, logger: { warn } as Partial<Logger> as Logger });
  const note = (account: 'acct_1' | 'acct_2', events: readonly ConversionEvent[]) =>
    noted.record(events, newContext({ accountId: account, actor: 'key_1', requestId: 'r' }));

  note('acct_1', sale('a', explicit));
  note('acct_1', []);
  expect(warn).not.toHaveBeenCalled();
  note('acct_1', sale('a'));
  note('acct_1', sale('a'));
  note('acct_1', sale('b'));
  note('acct_2', sale('a'));

  expect(warn.mock.calls).toEqual(
    [
      ['acct_1', 'prog_a'],
      ['acct_1', 'prog_b'],
      ['acct_2', 'prog_a'],
    ].map(([account_id, program_id]) => [
      { request_id: 'r', account_id, program_id, affiliate_id: 'aff_1', conversion_id: 'conv_1' },
      expect.stringContaining(`program ${program_id} earn nothing`) as string,
    ]),
  );
  const counted = metrics.registry.getSingleMetricAsString(
    'refledger_conversions_without_terms_total',
  );
  expect(await counted).toContain('refledger_conversions_without_terms_total 4');
});

it('warns of no more programs than it can remember', () => {
  const warn = jest.fn();
  const logger = { warn } as Partial<Logger> as Logger;
  const noted = new SalesWithoutTerms({ metrics: newMetrics(), logger });
  const context = newContext({ accountId: 'acct_1', actor: 'key_1', requestId: 'r' });
  for (let n = 0; n < 10_010; n++) noted.record(sale(`${n}`), context);
  expect(warn).toHaveBeenCalledTimes(10_000);
});
