import { payoutSchema } from '@refledger/contracts';
import { documentsOf, minute, record, type HistoryEvent } from '../test/history.js';
import { payoutChanged, payoutCreated } from '../test/payouts.js';
import { payoutsProjection } from './payouts.projection.js';

const payoutAfter = (...events: readonly HistoryEvent[]) =>
  documentsOf(payoutsProjection, record(events)).get('pay_1');

it('starts with the payout as it was created, with the fields of the API record and no others', () => {
  const document = payoutAfter(payoutCreated());
  expect(document).toEqual({
    account_id: 'acct_1',
    created_position: '00000000000000000001',
    record: {
      id: 'pay_1',
      object: 'payout',
      affiliate_id: 'aff_1',
      program_id: 'prog_spring',
      balance_id: 'bal_1',
      run_id: null,
      status: 'created',
      currency: 'USD',
      amount: 6_000,
      entry_count: 5,
      until: '2026-01-31',
      description: 'January',
      reference: null,
      reason: null,
      metadata: { a: '1' },
      payee_revision: 0,
      chain: 'chain 10',
      created_at: minute(1),
      updated_at: minute(1),
      completed_at: null,
      revision: 0,
    },
  });
  expect(Object.keys(document?.record ?? {})).toEqual(Object.keys(payoutSchema.shape));
});

it('follows every change', () => {
  const completed = { status: 'completed', completed_at: minute(0), reference: 'PP-8H7' } as const;
  const document = payoutAfter(
    payoutCreated(),
    payoutChanged('payout.processing', { status: 'processing' }),
    payoutChanged('payout.completed', completed),
    payoutChanged('payout.failed', { ...completed, status: 'failed', reason: 'It came back.' }),
  );
  expect(document?.record).toMatchObject({
    ...completed,
    status: 'failed',
    reason: 'It came back.',
    amount: 6_000,
    created_at: minute(1),
    updated_at: minute(4),
    revision: 3,
  });
});

it('ignores a change to a payout whose creation was skipped', () => {
  expect(payoutAfter(payoutChanged('payout.updated'))).toBeUndefined();
});
