import type { BalanceId, StoredBucket } from '@refledger/contracts';
import { bucketSums } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { BalanceReader } from '../src/index.js';
import { allOf } from './embedded.js';
import { findings } from './payees.js';

/** The events of balances and payouts, read without Refledger's code for them. */
interface Data {
  readonly balance_id: BalanceId;
  readonly payout_id: string;
  readonly number: number;
  readonly amount: number | string;
  readonly buckets: readonly StoredBucket[];
}

/**
 * Checks that every entry is open or in one live payout (L4), that `paid` holds the payouts that
 * are completed and `in_flight` those that are not over (L6), that lines add up (L5), and that an
 * audit finds nothing (L1, L3, L10, L12).
 */
export const expectPayoutLaws = async (log: EventLog, chapterLength?: number): Promise<void> => {
  const events = await allOf(log);
  const status = statusesOf(events);
  const reader = new BalanceReader(log, chapterLength);
  const balances = new Set(
    events
      .filter(({ type }) => type.startsWith('balance.'))
      .map((event) => dataOf(event).balance_id),
  );
  for (const id of balances) {
    const own = events.filter((event) => dataOf(event).balance_id === id);
    const living = eventsOf(own, 'payout.created').filter(({ payout_id }) =>
      isLiving(status.get(payout_id)),
    );
    const { state } = (await reader.load(id)) ?? {};
    if (state === undefined) throw new Error(`balance ${id} was not found`);
    const ended = living.filter(({ payout_id }) => status.get(payout_id) === 'payout.completed');
    const inFlight = living.filter((payout) => !ended.includes(payout));
    expect(Object.keys(state.inFlight).sort()).toEqual(
      inFlight.map(({ payout_id }) => payout_id).sort(),
    );
    expect(state.paid).toBe(sumOf(ended));
    for (const payout of eventsOf(own, 'payout.created'))
      expect(linesOf(payout, own).reduce((sum, { amount }) => sum + BigInt(amount), 0n)).toBe(
        BigInt(payout.amount),
      );
    const taken = living.flatMap((payout) => linesOf(payout, own).map(({ number }) => number));
    expect(new Set(taken).size).toBe(taken.length);
    const open = eventsOf(own, 'balance.posted').filter(({ number }) => !taken.includes(number));
    let sum = 0n;
    for (const amount of bucketSums(state.buckets).values()) sum += amount;
    expect(sum).toBe(sumOf(open));
  }
  expect(await findings(log)).toEqual([]);
};

const dataOf = ({ data }: LoggedEvent): Data => data as Data;

const eventsOf = (events: readonly LoggedEvent[], type: string): readonly Data[] =>
  events.filter((event) => event.type === type).map(dataOf);

/** The last event of each payout that has its result. */
const statusesOf = (events: readonly LoggedEvent[]): ReadonlyMap<string, string> =>
  new Map(
    events
      .filter(({ type }) => type.startsWith('payout.') && type !== 'payout.updated')
      .map((event) => [dataOf(event).payout_id, event.type]),
  );

const isLiving = (status: string | undefined): boolean =>
  status === 'payout.created' || status === 'payout.processing' || status === 'payout.completed';

/** The entries of a payout. */
const linesOf = ({ buckets }: Data, own: readonly LoggedEvent[]): readonly Data[] =>
  eventsOf(own, 'balance.posted').filter((entry) =>
    buckets.some(
      ({ payable_on, ranges }) =>
        payable_on === (entry as Data & { readonly payable_on: string }).payable_on &&
        ranges.some(({ from, to }) => from <= entry.number && entry.number <= to),
    ),
  );

const sumOf = (all: readonly Data[]): bigint =>
  all.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
