import type { AffiliateTerms, NewAffiliateTerms, NewTerms, Terms } from '@refledger/contracts';
import { amountsByCurrency, integer } from '../integers.js';

/** How many days a commission is held when neither the request nor the program says. */
export const defaultHoldDays = 30;

/** Returns terms as they are stored: with every default filled in. Equal terms are stored alike. */
export const storedTerms = (sent: NewTerms): Terms =>
  stored(sent, integer(sent.hold_days ?? defaultHoldDays));

/** Also for an affiliate's own terms. Without hold days the program's apply: null. */
export const storedAffiliateTerms = (sent: NewAffiliateTerms): AffiliateTerms => {
  const { hold_days = null } = sent;
  return stored(sent, hold_days === null ? null : integer(hold_days));
};

const stored = <HoldDays>(sent: NewAffiliateTerms, hold_days: HoldDays) => {
  const common = {
    ...(sent.caps && { caps: amountsByCurrency(sent.caps) }),
    recurring: sent.recurring ?? 'every',
    hold_days,
  };
  switch (sent.type) {
    case 'percentage':
      return { type: sent.type, rate_bps: integer(sent.rate_bps), ...common };
    case 'flat':
      return { type: sent.type, amounts: amountsByCurrency(sent.amounts), ...common };
  }
};
