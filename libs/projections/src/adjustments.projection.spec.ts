import {
  adjustmentSchema,
  type AdjustmentEvent,
  type AdjustmentFields,
} from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { documentsOf, minute, record } from '../test/history.js';
import { adjustmentsProjection } from './adjustments.projection.js';

const fields: AdjustmentFields = { status: 'posted', metadata: { a: '1' }, reason: null };
const about = {
  adjustment_id: 'adj_1',
  affiliate_id: 'aff_1',
  program_id: 'prog_spring',
  currency: 'USD',
  amount: -500,
  description: 'Fee',
  payable_on: '2026-02-01',
  external_id: null,
} as const;
const created: AdjustmentEvent = {
  type: 'adjustment.created',
  data: { ...about, reported_payable_on: '2026-02-01', after: fields },
};
const changed = (
  type: 'adjustment.updated' | 'adjustment.voided',
  after: Partial<AdjustmentFields>,
): AdjustmentEvent => ({
  type,
  data: { ...about, before: fields, after: { ...fields, ...after } },
});

const documentAfter = (...events: AdjustmentEvent[]) =>
  documentsOf(
    adjustmentsProjection,
    record(events.map((event) => ({ stream: 'refledger.adjustment-adj_1', event }))),
  ).get('adj_1');

it('starts with the adjustment as it was created, with the fields of the API record and no others', () => {
  const { adjustment_id: id, ...details } = about;
  const document = documentAfter(created);
  expect(document).toEqual({
    account_id: 'acct_1',
    record: {
      id,
      object: 'adjustment',
      ...details,
      ...fields,
      created_at: minute(1),
      updated_at: minute(1),
      revision: 0,
    },
  });
  expect(Object.keys(present(document?.record)).sort()).toEqual(
    Object.keys(adjustmentSchema.shape).sort(),
  );
});

it('follows every change', () => {
  const document = documentAfter(
    created,
    changed('adjustment.updated', { metadata: {} }),
    changed('adjustment.voided', { metadata: {}, status: 'voided', reason: 'twice' }),
  );
  expect(document?.record).toMatchObject({
    status: 'voided',
    reason: 'twice',
    metadata: {},
    amount: -500,
    created_at: minute(1),
    updated_at: minute(3),
    revision: 2,
  });
});

it('ignores a change to a record whose creation was skipped', () => {
  expect(documentAfter(changed('adjustment.updated', {}))).toBeUndefined();
});
