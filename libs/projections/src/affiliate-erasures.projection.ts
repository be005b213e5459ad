import { accountOf, erasureList } from '@refledger/contracts';
import { erasureOf, type Erasure } from '@refledger/domain';
import { indexesOf, projectionOf, type RecordDocument } from './projection.js';

/** The erased affiliates of every account. The key store says whether an erasure is finished. */
export const affiliateErasuresProjection = projectionOf<'affiliate', RecordDocument<Erasure>>(
  ['affiliate'],
  {
    name: 'affiliate_erasures',
    version: 1,
    collections: [{ name: 'affiliate_erasures', indexes: indexesOf(erasureList) }],
    keysOf: ({ type, data }) =>
      type === 'affiliate.erased'
        ? [{ collection: 'affiliate_erasures', id: data.affiliate_id, begins: true, isFinal: true }]
        : [],
    evolve: (_, event) => ({
      account_id: accountOf(event),
      record: erasureOf(event.data.affiliate_id, event.metadata),
    }),
  },
);
