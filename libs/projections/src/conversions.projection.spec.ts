import { conversionSchema, noCommission, unreported } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import {
  conversionChanged,
  conversionCreated,
  conversionId,
  conversionTrail,
} from '../test/builders.js';
import { documentsOf, minute, record } from '../test/history.js';
import { conversionsProjection } from './conversions.projection.js';

const stream = 'refledger.conversion-conv_1';
const documentsAfter = (...events: ReturnType<typeof conversionCreated>[]) =>
  documentsOf(conversionsProjection, record(events.map((event) => ({ stream, event })))).get(
    conversionId,
  );

it('starts with the sale as it was recorded', () => {
  const document = documentsAfter(conversionCreated({ metadata: { campaign: 'spring' } }));

  expect(document).toEqual({
    account_id: 'acct_1',
    record: {
      ...unreported,
      id: 'conv_1',
      object: 'conversion',
      affiliate_id: 'aff_1',
      program_id: 'prog_spring',
      status: 'pending',
      occurred_at: '2026-01-31T09:30:00.000Z',
      sale_amount: 4950,
      refunded_amount: 0,
      sale_currency: 'USD',
      commission_amount: 0,
      commission: noCommission,
      payable_on: '2026-01-31',
      external_transaction_id: 't-conv_1',
      metadata: { campaign: 'spring' },
      reason: null,
      payout_id: null,
      created_at: minute(1),
      updated_at: minute(1),
      approved_at: null,
      revision: 0,
    },
  });
});

it('has the fields of the API record and no others', () => {
  expect(Object.keys(present(documentsAfter(conversionCreated())?.record)).sort()).toEqual(
    Object.keys(conversionSchema.shape).sort(),
  );
});

it('follows every change, and keeps the time of the last approval', () => {
  const document = documentsAfter(
    conversionCreated(),
    conversionChanged('conversion.updated', {}, { sale_amount: 5000 }),
    conversionChanged(
      'conversion.approved',
      { sale_amount: 5000 },
      { sale_amount: 5000, status: 'approved' },
    ),
    conversionChanged(
      'conversion.refunded',
      { sale_amount: 5000, status: 'approved' },
      { sale_amount: 5000, status: 'refunded', reason: 'returned' },
    ),
  );

  expect(document?.record).toMatchObject({
    status: 'refunded',
    reason: 'returned',
    sale_amount: 5000,
    refunded_amount: 5000,
    created_at: minute(1),
    approved_at: minute(3),
    updated_at: minute(4),
    revision: 3,
  });
});

it('shows the payout that paid it, until the money comes back', () => {
  const paid = { payout_id: 'pay_1' } as const;
  const trail = [
    conversionTrail('conversion.paid', {}, paid),
    conversionTrail('conversion.unpaid', paid, {}),
  ];
  expect(documentsAfter(conversionCreated(), ...trail.slice(0, 1))?.record).toMatchObject(paid);
  expect(documentsAfter(conversionCreated(), ...trail)?.record).toMatchObject({
    payout_id: null,
    revision: 2,
    updated_at: minute(3),
  });
});

it('ignores a change to a record whose creation was skipped', () => {
  expect(
    documentsAfter(conversionChanged('conversion.approved', {}, { status: 'approved' })),
  ).toBeUndefined();
});
