import {
  accountOf,
  adjustmentList,
  type AccountId,
  type AdjustmentRecord,
} from '@refledger/contracts';
import { adjustmentAfter, metaOf } from '@refledger/domain';
import type { Document } from '@refledger/read-store';
import { indexesOf, projectionOf } from './projection.js';

/** The adjustments of every account, as the API lists them. */
export const adjustmentsProjection = projectionOf<'adjustment', AdjustmentDocument>(
  ['adjustment'],
  {
    name: 'adjustments',
    version: 1,
    collections: [{ name: 'adjustments', indexes: indexesOf(adjustmentList) }],
    keysOf: ({ type, data }) => [
      { collection: 'adjustments', id: data.adjustment_id, begins: type === 'adjustment.created' },
    ],
    evolve: (document, event) => {
      const record = adjustmentAfter(document?.record, event, metaOf(event));
      return record && { account_id: accountOf(event), record };
    },
  },
);

interface AdjustmentDocument extends Document {
  readonly account_id: AccountId;
  readonly record: AdjustmentRecord;
}
