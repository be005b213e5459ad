import { accountOf, payoutList, type PayoutRecord } from '@refledger/contracts';
import { metaOf, payoutAfter } from '@refledger/domain';
import type { IndexSpec } from '@refledger/read-store';
import { paddedPosition } from './padded-position.js';
import { indexesOf, projectionOf, type RecordDocument } from './projection.js';

/** For lists that filter by a range of completion times, and are ordered by completion time. */
const byCompletion = indexesOf({ ...payoutList, order: ['completed_at', 'id'] });

/** For files: the payouts of a run in one currency, in the order of their creation. */
const ofRun: IndexSpec = {
  fields: ['run_id', 'currency', 'created_position'],
  sparse: ['run_id'],
};

/** The payouts of every account, as the API lists them. */
export const payoutsProjection = projectionOf<'payout', PayoutDocument>(['payout'], {
  name: 'payouts',
  version: 2,
  collections: [{ name: 'payouts', indexes: [...indexesOf(payoutList), ...byCompletion, ofRun] }],
  keysOf: ({ type, data }) => [
    { collection: 'payouts', id: data.payout_id, begins: type === 'payout.created' },
  ],
  evolve: (document, event) => {
    const record = payoutAfter(document?.record, event, metaOf(event));
    const created_position = document?.created_position ?? paddedPosition(event.position);
    return record && { account_id: accountOf(event), created_position, record };
  },
});

export interface PayoutDocument extends RecordDocument<PayoutRecord> {
  /** Padded: it orders the payouts of a run in files. */
  readonly created_position: string;
}
