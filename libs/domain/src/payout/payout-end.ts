import type { PayoutEvent } from '@refledger/contracts';
import type { PayoutEnd } from '../balance/balance-change.js';

/** Returns how a payout's event changes its balance; undefined if it changes nothing. */
export const payoutEndOf = ({
  type,
  data,
}: PayoutEvent): Pick<PayoutEnd, 'about' | 'payout'> | undefined => {
  const { balance_id, affiliate_id, program_id, currency, payout_id, amount } = data;
  const about = { balance_id, affiliate_id, program_id, currency };
  switch (type) {
    case 'payout.completed':
      return { about, payout: { payout_id, amount, became: 'completed' } };
    case 'payout.failed':
      return { about, payout: { payout_id, amount, became: 'failed', buckets: data.buckets } };
    case 'payout.canceled':
      return { about, payout: { payout_id, amount, became: 'canceled', buckets: data.buckets } };
    case 'payout.created':
    case 'payout.processing':
    case 'payout.updated':
      return undefined;
  }
};
