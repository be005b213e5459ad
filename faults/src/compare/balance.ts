import type { Entry } from '../ledger.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that every request has one outcome: sent = acknowledged + refused + unknown. A refusal
 * must be one that the contract allows.
 */
export const compareBalance = (entries: readonly Entry[]): Comparison => {
  const count = (report: string): number =>
    entries.filter(({ outcome }) => outcome?.report === report).length;
  const open = entries.filter(({ outcome }) => outcome === undefined);
  const broken = entries.filter(
    ({ outcome }) =>
      outcome?.report === 'refused' && outcome.status >= 500 && outcome.status !== 503,
  );
  const retries = entries.filter(({ intent }) => intent.retryOf !== undefined).length;
  return {
    claim: 'sent = acknowledged + refused + unknown',
    figures: {
      sent: entries.length,
      acknowledged: count('acknowledged'),
      refused: count('refused'),
      unknown: count('unknown'),
      'sent again': retries,
    },
    differences: [
      ...open.map(({ n }) => `request ${n} has no outcome in the ledger`),
      ...broken.map(
        ({ n, intent, outcome }) =>
          `request ${n} (${intent.what}) got an error that must not occur: ${JSON.stringify(outcome)}`,
      ),
    ],
  };
};
