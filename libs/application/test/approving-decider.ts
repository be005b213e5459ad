import type { AffiliateEvent } from '@refledger/contracts';
import { affiliateDecider } from '@refledger/domain';

// bound here, before a test replaces it with that of `approvingDecider`
const decide = affiliateDecider.decide.bind(affiliateDecider);

/** Test double: like `affiliateDecider`, but approves each new affiliate in the same append. */
export const approvingDecider: typeof affiliateDecider = {
  ...affiliateDecider,
  decide: (command, state) =>
    decide(command, state).flatMap((event) =>
      event.type === 'affiliate.created' ? [event, approval(event.data)] : [event],
    ),
};

const approval = ({
  after: before,
  ...about
}: Extract<AffiliateEvent, { type: 'affiliate.created' }>['data']): AffiliateEvent => ({
  type: 'affiliate.approved',
  data: { ...about, before, after: { ...before, status: 'approved' } },
});
