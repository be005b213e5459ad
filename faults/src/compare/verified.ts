import type { Facts } from '../facts.js';
import type { Verification } from '../verify.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that `ops verify --ledger` and `ops verify --webhooks` find nothing either, now that the
 * service has ended.
 */
export const compareVerified = ({
  verified: { ledger, webhooks },
  money,
  deliveries,
}: Pick<Facts, 'verified' | 'money' | 'deliveries'>): Comparison => {
  const entries = countedBy(ledger, /with ([\d,]+) entr/);
  const planned = countedBy(webhooks, /^([\d,]+) deliver.* planned up to/m);
  const listed = money.entries[0]?.length;
  const ofEvents = [...deliveries.values()].filter(({ trigger }) => trigger === 'event').length;
  return {
    claim: 'ops verify agrees',
    figures: { 'verified entries': entries, 'verified deliveries': planned },
    differences: [
      ...[ledger, webhooks].flatMap(({ code, printed }) =>
        code === 0 ? [] : [`it ended with ${code}: ${printed}`],
      ),
      ...(entries === listed ? [] : [`it read ${entries} entries, but there are ${listed}`]),
      ...(planned === ofEvents ? [] : [`it read ${planned} deliveries, but there are ${ofEvents}`]),
    ],
  };
};

const countedBy = ({ printed }: Verification, count: RegExp): number => {
  const [, digits = ''] = count.exec(printed) ?? [];
  return Number(digits.replaceAll(',', ''));
};
