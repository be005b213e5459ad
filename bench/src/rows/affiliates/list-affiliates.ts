import type { AffiliateRecord } from '@refledger/contracts';
import { affiliatesOf } from '../../data-set/data-set-spec.js';
import { specOf } from '../../data-set/data-sets.js';
import { checkedTargets, type ReadKind } from '../reads/read.js';

interface Page {
  readonly data: readonly AffiliateRecord[];
}

/** First pages of affiliates, of all and by filter. Each opens the personal values of 25. */
export const listAffiliates: ReadKind = {
  name: 'list-affiliates',
  title: 'GET /v1/affiliates, a page of 25',
  targets: (service, { conversions }) => {
    const all = affiliatesOf(specOf(conversions));
    const isPage = ({ data }: Page): boolean =>
      data.length === Math.min(pageSize, all.length) &&
      data.every(({ id, email }) => email === `affiliate.${all.indexOf(id)}@example.com`);
    const isFiltered = ({ data }: Page): boolean =>
      data.length > 0 && data.every(({ status }) => status === 'approved');
    return checkedTargets<Page>(service, [
      ['/v1/affiliates', isPage],
      ['/v1/affiliates?sort=created_at', isPage],
      ['/v1/affiliates?status=approved', isFiltered],
    ]);
  },
};

const pageSize = 25;
