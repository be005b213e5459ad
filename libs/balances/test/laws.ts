import { createHash } from 'node:crypto';
import type { BalanceId, CarriedState, StoredBucket } from '@refledger/contracts';
import { bucketSums } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { BalanceReader } from '../src/index.js';
import { allOf } from './embedded.js';
import type { DueEntry, Sales } from './sales.js';

/** The limits that the balances were written with. */
export interface Lengths {
  readonly chapterLength: number;
  readonly carriedRanges: number;
}

interface Entry extends Readonly<Record<string, unknown>> {
  readonly number: number;
  readonly amount: number;
  readonly payable_on: string;
  readonly conversion_id: string | null;
  readonly adjustment_id: string | null;
  readonly posted_at: string;
  readonly source: CarriedState['through'];
  readonly chain: string;
}

/**
 * Checks that everything due was posted, once and in order (L1, L2, L7), that the sums are right
 * (L3), what chapters carry over (L10), and the hash chain (L12).
 */
export const expectLaws = async (log: EventLog, sales: Sales, lengths: Lengths): Promise<void> => {
  const events = await allOf(log);
  const reader = new BalanceReader(log, lengths.chapterLength);
  const due = dueByBalance(sales.due);
  const balances = byBalance(events.slice(indexOf(events, sales.due[0])));
  expect([...balances.keys()].sort()).toEqual([...due.keys()].sort());
  for (const [name, own] of balances) {
    const entries = own.filter(({ type }) => type === 'balance.posted').map(entryOf);
    expectPosted(entries, due.get(name) ?? [], events);
    const id = expectChapters(own, lengths);
    expectChain(id, entries);
    await expectSums(reader, id, entries);
  }
  expect(totals(balances)).toEqual(nonZero(sales.owed));
};

/** Events before this one belong to the balances of other sales. */
const indexOf = (events: readonly LoggedEvent[], first: DueEntry | undefined): number =>
  events.findIndex(({ id }) => id === first?.caused_by);

const byBalance = (events: readonly LoggedEvent[]): Map<string, LoggedEvent[]> => {
  const balances = new Map<string, LoggedEvent[]>();
  for (const event of events.filter(({ type }) => type.startsWith('balance.'))) {
    const { affiliate_id, currency } = event.data as Entry & { affiliate_id: string };
    const name = `${affiliate_id} ${String(currency)}`;
    balances.set(name, [...(balances.get(name) ?? []), event]);
  }
  return balances;
};

const dueByBalance = (due: readonly DueEntry[]): Map<string, DueEntry[]> => {
  const balances = new Map<string, DueEntry[]>();
  for (const entry of due) {
    const name = `${entry.affiliate} ${entry.currency}`;
    balances.set(name, [...(balances.get(name) ?? []), entry]);
  }
  return balances;
};

const entryOf = ({ data }: LoggedEvent): Entry => data as Entry;

const expectPosted = (
  entries: readonly Entry[],
  due: readonly DueEntry[],
  events: readonly LoggedEvent[],
): void => {
  const times = logTimes(events);
  const expected = due.map(({ affiliate, currency, day, caused_by, ...entry }, index) => {
    const source = events.find(({ id }) => id === caused_by);
    if (source === undefined) throw new Error(`the log lacks event ${caused_by}`);
    const { position, stream, revision } = source;
    return {
      affiliate_id: affiliate,
      program_id: 'prog_spring',
      currency,
      number: index + 1,
      ...entry,
      payable_on: day,
      source: { position, event_id: caused_by, stream, revision },
      posted_at: times.get(caused_by),
    };
  });
  expect(
    entries.map(({ balance_id: _, chain: __, source, ...entry }) => {
      const { log_id: ___, ...rest } = source ?? { log_id: '' };
      return { ...entry, source: rest };
    }),
  ).toEqual(expected);
};

/** Log time at each event, by its id: the latest time of any account's event up to there. */
const logTimes = (events: readonly LoggedEvent[]): Map<string, string> => {
  const times = new Map<string, string>();
  let time = '';
  for (const { id, metadata } of events) {
    if (metadata.account_id !== null && metadata.time_kept !== true)
      time = [time, metadata.recorded_at].sort()[1] ?? '';
    times.set(id, time);
  }
  return times;
};

/**
 * Every chapter but the last one is full, and each starts with what the one before it ended with.
 */
const expectChapters = (
  events: readonly LoggedEvent[],
  { chapterLength, carriedRanges }: Lengths,
): BalanceId => {
  const { balance_id } = events[0]?.data as { balance_id: BalanceId };
  const before: Entry[] = [];
  for (let chapter = 0, start = 0; start < events.length; chapter++, start += chapterLength) {
    const own = events.slice(start, start + chapterLength);
    expect(own.map(({ stream, revision }) => [stream, revision])).toEqual(
      own.map((_, revision) => [`refledger.balance-${balance_id}-${chapter}`, revision]),
    );
    const pieces = inPieces(openBuckets(before), carriedRanges);
    const opening = [
      ['balance.opened', { chapter, state: sumsOf(balance_id, before), carried: pieces.length }],
      ...pieces.map((buckets) => ['balance.carried', { buckets }]),
    ];
    expect(own.slice(0, opening.length).map(typeAndData)).toEqual(opening.slice(0, own.length));
    for (const [index, event] of own.slice(opening.length).entries()) {
      if (opening.length + index < chapterLength - 1) {
        expect(event.type).toBe('balance.posted');
        before.push(entryOf(event));
      } else
        expect(typeAndData(event)).toEqual([
          'balance.closed',
          { state: sumsOf(balance_id, before) },
        ]);
    }
  }
  return balance_id;
};

const typeAndData = ({ type, data }: LoggedEvent): readonly unknown[] => {
  const {
    balance_id: _,
    affiliate_id: __,
    program_id: ___,
    currency: ____,
    ...rest
  } = data as Entry;
  return [type, rest];
};

const sumsOf = (id: BalanceId, entries: readonly Entry[]): CarriedState => ({
  number: entries.length,
  payouts: 0,
  through: entries.at(-1)?.source ?? null,
  posted_at: entries.at(-1)?.posted_at ?? null,
  chain: entries.at(-1)?.chain ?? sha256(id),
  in_flight: {},
  earned: sumOf(entries.filter(({ conversion_id }) => conversion_id !== null)),
  adjusted: sumOf(entries.filter(({ adjustment_id }) => adjustment_id !== null)),
  paid: '0',
});

const sumOf = (entries: readonly Entry[]): string =>
  String(entries.reduce((sum, { amount }) => sum + BigInt(amount), 0n));

/** Without payouts, each day has one range with all of its entries. */
const openBuckets = (entries: readonly Entry[]): StoredBucket[] =>
  [...new Set(entries.map(({ payable_on }) => payable_on))].sort().map((payable_on) => {
    const own = entries.filter((entry) => entry.payable_on === payable_on);
    const range = {
      from: own[0]?.number ?? 0,
      to: own.at(-1)?.number ?? 0,
      amount: sumOf(own),
      count: own.length,
    };
    return { payable_on, ranges: [range] };
  });

const inPieces = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, piece) =>
    all.slice(piece * size, (piece + 1) * size),
  );

/** The code with which an auditor recomputes the chain (docs/ledger.md), as it is printed there. */
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const canonical = (v: unknown): string =>
  v === null || typeof v !== 'object'
    ? JSON.stringify(v)
    : Array.isArray(v)
      ? `[${v.map(canonical).join(',')}]`
      : `{${Object.keys(v)
          .sort()
          .map((k) => `${JSON.stringify(k)}:${canonical((v as Record<string, unknown>)[k])}`)
          .join(',')}}`;

const expectChain = (id: BalanceId, entries: readonly Entry[]): void => {
  let head = sha256(id);
  for (const { chain, ...data } of entries) {
    head = sha256(head + canonical(data));
    expect(chain).toBe(head);
  }
};

const expectSums = async (
  reader: BalanceReader,
  id: BalanceId,
  entries: readonly Entry[],
): Promise<void> => {
  const { state } = (await reader.load(id)) ?? {};
  if (state === undefined) throw new Error(`balance ${id} was not found`);
  const expected = openBuckets(entries).map(({ payable_on, ranges: [range] }) => [
    payable_on,
    BigInt(range?.amount ?? ''),
  ]);
  const sums = bucketSums(state.buckets);
  expect([...sums]).toEqual(expected);
  const open = [...sums.values()].reduce((sum, amount) => sum + amount, 0n);
  expect(state.earned + state.adjusted).toBe(open + state.paid);
  const { earned, adjusted } = sumsOf(id, entries);
  expect([state.number, state.earned, state.adjusted]).toEqual([
    entries.length,
    BigInt(earned),
    BigInt(adjusted),
  ]);
};

/** What was posted for each conversion and each adjustment for which something is owed. */
const totals = (balances: ReadonlyMap<string, readonly LoggedEvent[]>): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const event of [...balances.values()].flat())
    if (event.type === 'balance.posted') {
      const { conversion_id, adjustment_id, amount } = entryOf(event);
      const id = conversion_id ?? adjustment_id ?? '';
      sums.set(id, (sums.get(id) ?? 0) + amount);
    }
  return nonZero(sums);
};

const nonZero = (sums: ReadonlyMap<string, number>): Map<string, number> =>
  new Map([...sums].filter(([, sum]) => sum !== 0));
