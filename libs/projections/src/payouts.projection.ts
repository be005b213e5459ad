import { accountOf, payoutList, type AccountId, type PayoutRecord } from '@refledger/contracts';
import { metaOf, payoutAfter } from '@refledger/domain';
import type { Document } from '@refledger/read-store';
import { indexesOf, projectionOf } from './projection.js';

/** For lists that are bounded by when payouts were completed, and ordered by that. */
const byCompletion = indexesOf({ ...payoutList, order: ['completed_at', 'id'] });

/** The payouts of every account, as the API lists them. */
export const payoutsProjection = projectionOf<'payout', PayoutDocument>(['payout'], {
  name: 'payouts',
  version: 1,
  collections: [{ name: 'payouts', indexes: [...indexesOf(payoutList), ...byCompletion] }],
  keysOf: ({ type, data }) => [
    { collection: 'payouts', id: data.payout_id, begins: type === 'payout.created' },
  ],
  evolve: (document, event) => {
    const record = payoutAfter(document?.record, event, metaOf(event));
    return record && { account_id: accountOf(event), record };
  },
});

interface PayoutDocument extends Document {
  readonly account_id: AccountId;
  readonly record: PayoutRecord;
}
