import type { LoggedEvent } from '@refledger/event-log';
import type { Balance, PayoutRun } from '@refledger/testing';
import type { History, Version } from '../history.js';
import { OpenLines, postingsByBalance } from './open-lines.js';

/** A run, and when it walked the balances. */
interface Walk {
  readonly run: PayoutRun;
  /** The position of the event that started it. */
  readonly from: bigint;
  /** The position of the event that finished it. */
  readonly to: bigint;
}

/** A balance that was due when a run started, and unchanged until the run was finished. */
export interface UnpaidBalance {
  readonly run: PayoutRun;
  readonly balance: Balance;
  /** The amount due by the run's day. */
  readonly due: number;
  /** Whether nothing in the contract prevented a payout. */
  readonly isPayable: boolean;
}

/** The runs that are finished and were not canceled, in the order of the log. */
const walksOf = ({ versions }: Pick<History, 'versions'>): readonly Walk[] =>
  [...versions.values()]
    .flatMap((all): readonly Walk[] => {
      const run = all.at(-1)?.record;
      if (run?.object !== 'payout_run' || all[0] === undefined) return [];
      const finished = all.find(({ event }) => event.type === 'payout_run.finished');
      if (finished === undefined || run.marks.some(({ status }) => status === 'canceled'))
        return [];
      return [{ run, from: positionOf(all[0].event), to: positionOf(finished.event) }];
    })
    .toSorted((a, b) => (a.from < b.from ? -1 : 1));

/**
 * The balances that each run must have met and has not paid: nothing happened to them from its
 * start to its end, although something was due.
 */
export const unpaidBalancesOf = (
  history: Pick<History, 'versions' | 'postings'>,
  balances: readonly Balance[],
): readonly UnpaidBalance[] => {
  const walks = walksOf(history);
  const postings = postingsByBalance(history);
  return balances.flatMap((balance) =>
    quietWalks(
      walks.filter(({ run }) => isWithin(run, balance)),
      postings.get(balance.id) ?? [],
    ).map(({ run, from, to, due }) => {
      const affiliate = history.versions.get(balance.affiliate_id) ?? [];
      const isEnough = run.ignore_minimum || due >= (balance.minimum ?? 0);
      return { run, balance, due, isPayable: isEnough && isApproved(affiliate, { from, to }) };
    }),
  );
};

/** The walks during which nothing happened to a balance on which something was due. */
const quietWalks = (walks: readonly Walk[], postings: readonly LoggedEvent[]) => {
  const open = new OpenLines();
  let next = 0;
  return walks.flatMap((walk) => {
    for (let event; (event = postings[next]) !== undefined && positionOf(event) < walk.from; next++)
      open.take(event);
    const following = postings[next];
    if (following !== undefined && positionOf(following) < walk.to) return [];
    const due = open.dueBy(walk.run.until).reduce((sum, { amount }) => sum + amount, 0);
    return due > 0 ? [{ ...walk, due }] : [];
  });
};

/**
 * Whether an affiliate was approved when a run started, and did not change until it was finished.
 */
const isApproved = (
  versions: readonly Version[],
  { from, to }: Pick<Walk, 'from' | 'to'>,
): boolean => {
  const [last] = versions.filter(({ event }) => positionOf(event) < to).slice(-1);
  return (
    last?.record.object === 'affiliate' &&
    !last.deleted &&
    last.record.status === 'approved' &&
    positionOf(last.event) < from
  );
};

const isWithin = ({ program_id, currency, affiliate_ids }: PayoutRun, balance: Balance): boolean =>
  (program_id === null || program_id === balance.program_id) &&
  (currency === null || currency === balance.currency) &&
  (affiliate_ids === null || affiliate_ids.includes(balance.affiliate_id));

const positionOf = ({ position }: LoggedEvent): bigint => BigInt(position);
