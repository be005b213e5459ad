import type { NewTerms, Terms } from '@refledger/contracts';
import { amountsByCurrency, integer } from '../integers.js';

/** How many days a commission is held when neither the request nor the program says. */
export const defaultHoldDays = 30;

/** Returns terms as they are stored: with every default filled in. Equal terms are stored alike. */
export const storedTerms = (sent: NewTerms): Terms => {
  const common = {
    ...(sent.caps && { caps: amountsByCurrency(sent.caps) }),
    recurring: sent.recurring ?? 'every',
    hold_days: integer(sent.hold_days ?? defaultHoldDays),
  };
  switch (sent.type) {
    case 'percentage':
      return { type: sent.type, rate_bps: integer(sent.rate_bps), ...common };
    case 'flat':
      return { type: sent.type, amounts: amountsByCurrency(sent.amounts), ...common };
  }
};
