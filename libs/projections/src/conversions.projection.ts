import {
  accountOf,
  conversionList,
  type AccountId,
  type ConversionRecord,
} from '@refledger/contracts';
import { conversionAfter, metaOf } from '@refledger/domain';
import type { Document } from '@refledger/read-store';
import { indexesOf, projectionOf } from './projection.js';

/**
 * The conversions of every account, as the API lists them. To find one by its
 * `external_transaction_id`, look up its id, which is derived from that.
 */
export const conversionsProjection = projectionOf<'conversion', ConversionDocument>(
  ['conversion'],
  {
    name: 'conversions',
    version: 7,
    collections: [{ name: 'conversions', indexes: indexesOf(conversionList) }],
    keysOf: ({ type, data }) => [
      { collection: 'conversions', id: data.conversion_id, begins: type === 'conversion.created' },
    ],
    evolve: (document, event) => {
      const record = conversionAfter(document?.record, event, metaOf(event));
      return record && { account_id: accountOf(event), record };
    },
  },
);

interface ConversionDocument extends Document {
  readonly account_id: AccountId;
  readonly record: ConversionRecord;
}
