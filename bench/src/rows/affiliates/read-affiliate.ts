import type { AffiliateRecord } from '@refledger/contracts';
import { affiliatesOf } from '../../data-set/data-set-spec.js';
import { specOf } from '../../data-set/data-sets.js';
import { checkedTargets, some, type ReadKind } from '../reads/read.js';

/** Affiliates of the data set, whose personal values are opened for each response. */
export const readAffiliate: ReadKind = {
  name: 'get-affiliate',
  title: 'GET /v1/affiliates/:id',
  targets: (service, { conversions }) =>
    checkedTargets<AffiliateRecord>(
      service,
      some([...affiliatesOf(specOf(conversions)).entries()], 1_000).map(([n, id]) => [
        `/v1/affiliates/${id}`,
        (response) => response.id === id && response.email === `affiliate.${n}@example.com`,
      ]),
    ),
};
