import { isDeepStrictEqual } from 'node:util';
import {
  comparePositions,
  streamNamed,
  type BalanceEvent,
  type PayoutEvent,
  type PayoutId,
  type Position,
  type RecordedEvent,
} from '@refledger/contracts';
import { payoutEndOf, type BalanceKey, type PayoutEnd } from '@refledger/domain';
import type { PossibleLogTimes } from './log-times.js';
import { differingFields } from './differing-fields.js';

/** The end of a payout that a balance has not settled or released yet. */
interface End extends Pick<PayoutEnd, 'about' | 'payout'> {
  readonly id: string;
  readonly position: Position;
  readonly logTimes: PossibleLogTimes;
}

type ReservedEvent = RecordedEvent<Extract<BalanceEvent, { type: 'balance.reserved' }>>;
type PayoutEndEvent = RecordedEvent<
  Extract<BalanceEvent, { type: 'balance.settled' | 'balance.released' }>
>;

/** A payout that its balance holds otherwise than its own stream says. */
export interface PayoutProblem {
  readonly id: string;
  readonly about: BalanceKey;
  readonly position: Position;
  readonly problem: string;
}

/** How a settled or released payout compares with the end that caused it. */
interface ComparedEnd {
  readonly problems: readonly string[];
  /** The log times at its source; undefined if that is not the end of a payout. */
  readonly logTimes: PossibleLogTimes | undefined;
}

/**
 * Compares what balances settle and release with the streams of the payouts. Memory use grows only
 * with the number of payouts that are not settled or released yet.
 */
export class AuditedPayouts {
  /** By the id of the payout: at most that it was completed, and that it failed. */
  private readonly ends = new Map<PayoutId, readonly End[]>();
  /** Reservations without a payout, by the id of their event. */
  private readonly reserved = new Map<string, ReservedEvent>();

  /** Takes the next event of a payout. */
  takePayout(event: RecordedEvent<PayoutEvent>, logTimes: PossibleLogTimes): void {
    const { payout_id, balance_id } = event.data;
    if (event.type === 'payout.created')
      for (const [id, { data }] of this.reserved)
        if (data.payout_id === payout_id && data.balance_id === balance_id)
          this.reserved.delete(id);
    const end = payoutEndOf(event);
    if (end === undefined) return;
    const { id, position } = event;
    this.ends.set(payout_id, [...this.endsOf(payout_id), { ...end, id, position, logTimes }]);
  }

  takeReserved(event: ReservedEvent): void {
    this.reserved.set(event.id, event);
  }

  /** Takes what a balance settles or releases, and compares it with what caused it. */
  takeEnded(event: PayoutEndEvent): ComparedEnd {
    const { source, payout_id } = event.data;
    if (source.stream.startsWith(streamNamed('balance')))
      return { problems: this.problemsOfVoid(event), logTimes: undefined };
    const ends = this.endsOf(payout_id);
    const index = ends.findIndex(({ id }) => id === source.event_id);
    const end = ends[index];
    if (end === undefined)
      return {
        problems: [`its source ${source.event_id} ends no payout, or was already posted`],
        logTimes: undefined,
      };
    // a release ends what came before it, even if that was skipped
    const rest =
      event.type === 'balance.settled' ? ends.toSpliced(index, 1) : ends.slice(index + 1);
    if (rest.length === 0) this.ends.delete(payout_id);
    else this.ends.set(payout_id, rest);
    return { problems: compareWithPayout(event, end), logTimes: end.logTimes };
  }

  /** Reservations that should have been settled or released by now, or made a payout. */
  *missing(postedThrough: Position): Generator<PayoutProblem> {
    const isDue = ({ position }: { readonly position: Position }): boolean =>
      comparePositions(position, postedThrough) <= 0;
    for (const ends of this.ends.values()) {
      const last = ends.findLast(isDue);
      if (last === undefined) continue;
      const { id, about, position, payout } = last;
      const { became, payout_id, amount } = payout;
      const missing = became === 'completed' ? 'settled' : 'released';
      const problem = `payout ${payout_id} of ${amount} was ${became}, but it was not ${missing}`;
      yield { id, about, position, problem };
    }
    for (const { id, position, data } of this.reserved.values())
      if (isDue({ position })) {
        const problem = `payout ${data.payout_id} of ${data.amount} was reserved, but neither created nor released`;
        yield { id, about: data, position, problem };
      }
  }

  private problemsOfVoid({ data }: PayoutEndEvent): readonly string[] {
    const reserved = this.reserved.get(data.source.event_id);
    this.reserved.delete(data.source.event_id);
    if (reserved === undefined)
      return [`its source ${data.source.event_id} is not a void reservation`];
    return differingFields(data, { amount: reserved.data.amount });
  }

  private endsOf(payout: PayoutId): readonly End[] {
    return this.ends.get(payout) ?? [];
  }
}

/** How an event of a balance differs from the end of the payout that caused it. */
const compareWithPayout = (
  { type, data }: PayoutEndEvent,
  { about, payout }: End,
): readonly string[] => {
  const { became, amount } = payout;
  const expected = became === 'completed' ? 'balance.settled' : 'balance.released';
  if (type !== expected) return [`its source made the payout ${became}`];
  const problems = differingFields(data, { ...about, amount });
  const hasOtherEntries =
    'buckets' in data && 'buckets' in payout && !isDeepStrictEqual(data.buckets, payout.buckets);
  return hasOtherEntries
    ? [...problems, 'its entries differ from the entries that its source names']
    : problems;
};
