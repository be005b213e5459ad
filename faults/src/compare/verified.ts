import type { Facts } from '../facts.js';
import type { Comparison } from './comparison.js';

/** Checks that `ops verify --ledger` finds nothing either, now that the service has ended. */
export const compareVerified = ({
  verified: { code, printed },
  money,
}: Pick<Facts, 'verified' | 'money'>): Comparison => {
  const [, count = ''] = /with ([\d,]+) entr/.exec(printed) ?? [];
  const verified = Number(count.replaceAll(',', ''));
  const entries = money.entries[0]?.length;
  return {
    claim: 'ops verify --ledger agrees',
    figures: { verified },
    differences: [
      ...(code === 0 ? [] : [`it ended with ${code}: ${printed}`]),
      ...(verified === entries ? [] : [`it read ${verified} entries, but there are ${entries}`]),
    ],
  };
};
