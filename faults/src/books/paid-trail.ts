import type { History, Version } from '../history.js';
import { reservedPayouts, type Line } from './open-lines.js';

/**
 * Which payout each conversion must show, one after another, worked out from the payouts that were
 * completed or came back, and their lines. Null: none any more.
 */
export const dueTrail = (
  history: Pick<History, 'versions' | 'postings'>,
): ReadonlyMap<string, readonly (string | null)[]> => {
  const reserved = reservedPayouts(history);
  const shown = new Map<string, Trail>();
  for (const { id, type, number } of stepsOf(history))
    for (const conversion of paidConversions(reserved.get(id)?.lines ?? [])) {
      const trail = shown.get(conversion) ?? { number: 0, payouts: [] };
      shown.set(conversion, trail);
      if (type === 'paid' && number > trail.number) {
        trail.number = number;
        trail.payouts.push(id);
      } else if (type === 'unpaid' && trail.payouts.at(-1) === id) trail.payouts.push(null);
    }
  return new Map(
    [...shown].flatMap(([conversion, { payouts }]) =>
      payouts.length === 0 ? [] : [[conversion, payouts]],
    ),
  );
};

/** Which payout each conversion showed, one after another, as the log has it. */
export const writtenTrail = ({
  versions,
}: Pick<History, 'versions'>): ReadonlyMap<string, readonly (string | null)[]> =>
  new Map(
    [...versions].flatMap(([id, all]) => {
      const shown = all
        .filter(isTrailVersion)
        .map(({ record }) => (record.object === 'conversion' ? record.payout_id : null));
      return shown.length === 0 ? [] : [[id, shown]];
    }),
  );

/** Whether the ledger wrote this version of a conversion, after a payout. */
export const isTrailVersion = ({ event }: Version): boolean =>
  event.type === 'conversion.paid' || event.type === 'conversion.unpaid';

interface Trail {
  /** The number of the last payout that was shown; within its balance. */
  number: number;
  readonly payouts: (string | null)[];
}

interface Step {
  readonly position: bigint;
  readonly type: 'paid' | 'unpaid';
  readonly id: string;
  readonly number: number;
}

/**
 * The payouts that were completed, and those that came back after that, in the order of the log.
 */
const stepsOf = ({ versions }: Pick<History, 'versions'>): readonly Step[] =>
  [...versions]
    .flatMap(([id, all]) =>
      all.flatMap(({ event }, index): Step[] => {
        const isPaid = event.type === 'payout.completed';
        const isReturned = event.type === 'payout.failed' && wasCompleted(all[index - 1]);
        if (!isPaid && !isReturned) return [];
        // decoding boundary: libs/contracts/src/payouts/payout.events.ts has the schemas of
        // these events
        const { payout_number: number } = event.data as { payout_number: number };
        return [{ id, number, position: BigInt(event.position), type: isPaid ? 'paid' : 'unpaid' }];
      }),
    )
    .toSorted((a, b) => (a.position < b.position ? -1 : 1));

const wasCompleted = (before: Version | undefined): boolean =>
  before?.record.object === 'payout' && before.record.status === 'completed';

/** The conversions whose commission is among these lines and whose lines are worth something. */
const paidConversions = (lines: readonly Line[]): readonly string[] => {
  const sums = new Map<string, number>();
  const earning = new Set<string>();
  for (const { conversion_id, kind, amount } of lines) {
    if (conversion_id === null) continue;
    sums.set(conversion_id, (sums.get(conversion_id) ?? 0) + amount);
    if (kind === 'commission') earning.add(conversion_id);
  }
  return [...earning].filter((conversion) => (sums.get(conversion) ?? 0) > 0);
};
