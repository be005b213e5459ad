import { accountOf, conversionList, type ConversionRecord } from '@refledger/contracts';
import { conversionAfter, metaOf } from '@refledger/domain';
import { indexesOf, projectionOf, type RecordDocument } from './projection.js';

/**
 * The conversions of every account, as the API lists them. To find one by its
 * `external_transaction_id`, look up its id, which is derived from that.
 */
export const conversionsProjection = projectionOf<'conversion', RecordDocument<ConversionRecord>>(
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
