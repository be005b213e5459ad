import type { Payout, PayoutRun } from '@refledger/testing';
import { same } from '../canonical.js';
import type { Facts } from '../facts.js';
import { grouped } from '../grouped.js';
import type { History, Version } from '../history.js';
import { unpaidBalancesOf, type UnpaidBalance } from '../books/unpaid-balances.js';
import type { Comparison } from './comparison.js';

/**
 * Checks that each run is finished, that it counts exactly the payouts that name it, one per
 * balance and within its scope, that its marks have reached them, and that it skipped no one who
 * could be paid.
 */
export const compareRuns = ({ history, money }: Pick<Facts, 'history' | 'money'>): Comparison => {
  const runs = runsOf(history);
  const made = grouped(money.payouts, ({ run_id }) => run_id ?? '');
  const leftOut = grouped(unpaidBalancesOf(history, money.balances), ({ run }) => run.id);
  return {
    claim: 'runs count what they paid',
    figures: {
      runs: runs.length,
      'paid by runs': runs.reduce((sum, { payouts }) => sum + payouts.created, 0),
      skipped: runs.reduce((sum, run) => sum + skippedBy(run), 0),
      marks: runs.reduce((sum, { marks }) => sum + marks.length, 0),
      marked: runs.reduce((sum, run) => sum + changedBy(run), 0),
    },
    differences: runs.flatMap((record) => {
      const payouts = made.get(record.id) ?? [];
      return [
        ...countFaults(record, payouts),
        ...payouts.flatMap((payout) => scopeFaults(record, payout)),
        ...markFaults(record, payouts, history),
        ...leftOutFaults(record, leftOut.get(record.id) ?? []),
      ].map((fault) => `${record.id} ${fault}`);
    }),
  };
};

const runsOf = ({ versions }: Pick<History, 'versions'>): readonly PayoutRun[] =>
  [...versions.values()].flatMap((all) => {
    const record = all.at(-1)?.record;
    return record?.object === 'payout_run' ? [record] : [];
  });

const skippedBy = ({ payouts }: PayoutRun): number =>
  Object.values(payouts.skipped ?? {}).reduce((sum, count) => sum + count, 0);

const changedBy = ({ marks }: PayoutRun): number =>
  marks.reduce((sum, { changed }) => sum + changed, 0);

const countFaults = (
  { status, payouts: { created, skipped }, totals }: PayoutRun,
  payouts: readonly Payout[],
): string[] => {
  if (status !== 'finished' || skipped === null) return ['is not finished'];
  const sums = [...grouped(payouts, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    payouts: own.length,
    amount: own.reduce((sum, { amount }) => sum + amount, 0),
  }));
  const balances = new Set(payouts.map(({ balance_id }) => balance_id));
  return [
    ...(created === payouts.length
      ? []
      : [`counts ${created} payouts, but ${payouts.length} name it`]),
    ...(same(byCurrency(totals), byCurrency(sums))
      ? []
      : [`has totals ${JSON.stringify(totals)}, but its payouts are ${JSON.stringify(sums)}`]),
    ...(balances.size === payouts.length
      ? []
      : [`has ${payouts.length} payouts of ${balances.size} balances`]),
  ];
};

const byCurrency = (totals: PayoutRun['totals']): PayoutRun['totals'] =>
  totals.toSorted((a, b) => (a.currency < b.currency ? -1 : 1));

const scopeFaults = (run: PayoutRun, payout: Payout): string[] => {
  const { id, program_id, currency, affiliate_ids, until } = run;
  const isWithin =
    (program_id === null || program_id === payout.program_id) &&
    (currency === null || currency === payout.currency) &&
    (affiliate_ids === null || affiliate_ids.includes(payout.affiliate_id)) &&
    until === payout.until;
  return isWithin ? [] : [`made ${payout.id}, which is outside its scope (${id})`];
};

/** Everything that a run met without paying it was skipped for a reason. */
const leftOutFaults = (run: PayoutRun, all: readonly UnpaidBalance[]): string[] => {
  const faults = all
    .filter(({ isPayable }) => isPayable)
    .map(({ balance, due }) => `skipped ${balance.id}, on which ${due} was due`);
  return skippedBy(run) >= all.length
    ? faults
    : [...faults, `skipped ${skippedBy(run)} balances, but met ${all.length} without paying them`];
};

/** A mark counts the payouts' events that name it. */
const markFaults = (
  { marks }: PayoutRun,
  payouts: readonly Payout[],
  { versions }: Pick<History, 'versions'>,
): string[] => {
  const named = payouts.flatMap(({ id }) => (versions.get(id) ?? []).flatMap(markOf));
  return marks.flatMap(({ status, applied_at, changed, left }, index) => {
    const events = named.filter(({ mark }) => mark === index + 1);
    if (applied_at === null) return [`has not applied mark ${index + 1}`];
    const faults = events.every((event) => event.status === status)
      ? []
      : [`gave some of its payouts a status other than ${status} with mark ${index + 1}`];
    return changed === events.length && changed + left === payouts.length
      ? faults
      : [
          ...faults,
          `changed ${changed} payouts with mark ${index + 1} and left ${left} unchanged, but ${events.length} of ${payouts.length} payouts name it`,
        ];
  });
};

const markOf = ({ event, record }: Version) => {
  // decoding boundary: libs/contracts/src/payouts/payout.events.ts has the schemas of these events
  const { mark } = event.data as { mark?: number | null };
  return typeof mark === 'number' && record.object === 'payout'
    ? [{ mark, status: record.status }]
    : [];
};
