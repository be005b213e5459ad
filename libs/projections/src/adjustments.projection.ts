import { accountOf, adjustmentList, type AdjustmentRecord } from '@refledger/contracts';
import { adjustmentAfter, metaOf } from '@refledger/domain';
import { indexesOf, projectionOf, type RecordDocument } from './projection.js';

/** The adjustments of every account, as the API lists them. */
export const adjustmentsProjection = projectionOf<'adjustment', RecordDocument<AdjustmentRecord>>(
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
