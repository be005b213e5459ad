import type { BalanceId, Position } from '@refledger/contracts';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { present } from '@refledger/testing/present';
import { BalanceReader, type LoadedBalance } from '../src/index.js';
import { allOf, Embedded, postToHead } from './embedded.js';
import { faultyLog } from './faulty-log.js';
import { Sales } from './sales.js';

const lengths = { chapterLength: 8, carriedRanges: 1 };
const embedded = new Embedded();
let log: EventLog;
let store: ReadStore;
let sales: Sales;
let reader: BalanceReader;
beforeAll(async () => {
  log = await embedded.openLog();
  store = await embedded.openStore();
  const days = ['2026-02-01', '2026-02-02', '2026-02-03'];
  const sold = days.map((day) => ({ affiliate: 'aff_a', currency: 'USD', day }) as const);
  sales = new Sales(log, sold, Date.UTC(2026, 0, 31, 23));
  reader = new BalanceReader(log, lengths.chapterLength);
  await history();
});
afterAll(() => embedded.remove());

/** What `load` returned when this was the last event of the log. */
const seen = new Map<Position, LoadedBalance | undefined>();
const balanceEvents = async (): Promise<readonly LoggedEvent[]> =>
  (await allOf(log)).filter(({ type }) => type.startsWith('balance.'));
const balanceOf = (events: readonly LoggedEvent[]): BalanceId =>
  (events[0]?.data as { balance_id: BalanceId } | undefined)?.balance_id ?? 'bal_none';

/**
 * Posts some 20 entries. Every other ledger crashes, so that chapters are seen half opened, too.
 */
const history = async (): Promise<void> => {
  for (let amount = 1; amount <= 20; amount++) {
    await sales.take({ sale: amount, to: amount < 4 ? 'approved' : 'corrected', amount, ...still });
    for (const crashAt of [0, 1, 2, 9]) {
      await post(faultyLog(log, crashAt, 'crash before it')).catch(() => undefined);
      const head = await log.head();
      if (head !== undefined) seen.set(head, await reader.load(balanceOf(await balanceEvents())));
    }
  }
};
const still = { minutes: 1, ahead: 0 };
const post = (on: EventLog) => postToHead({ log: on, store, now: () => sales.now, ...lengths });

it('reads a balance as of any position as it was read then', async () => {
  const id = balanceOf(await balanceEvents());
  expect(seen.size).toBeGreaterThan(40);
  for (const [position, loaded] of seen) expect(await reader.loadAt(id, position)).toEqual(loaded);
});

it('finds no balance at a position before it was opened, nor one of an affiliate without entries', async () => {
  const events = await allOf(log);
  const id = balanceOf(await balanceEvents());
  const before = events.find(({ type }) => type === 'conversion.created');
  if (before === undefined) throw new Error('there is no sale');
  expect(await reader.loadAt(id, before.position)).toBeUndefined();
  expect(await reader.load('bal_none')).toBeUndefined();
  expect(await reader.createdAt('bal_none')).toBeUndefined();
  expect(await chained('bal_none')).toEqual([]);
});

it('shows no chapter until everything carried into it is there', async () => {
  const events = await balanceEvents();
  const id = balanceOf(events);
  const opened = events.findLast(({ type }) => type === 'balance.opened');
  const closed = events.findLast(({ type }) => type === 'balance.closed');
  if (opened === undefined || closed === undefined) throw new Error('there is one chapter only');
  const half = await reader.loadAt(id, opened.position);
  expect(half).toMatchObject({ position: closed.position, state: { phase: 'closed' } });
  expect(half?.state.buckets.size).toBe(3);
});

it('says when a balance was created, and to which account it belongs', async () => {
  const [first] = await balanceEvents();
  const id = balanceOf(await balanceEvents());
  expect(await reader.createdAt(id)).toBe(first?.metadata.recorded_at);
  const events = await balanceEvents();
  expect(await reader.load(id)).toMatchObject({
    accountId: 'acct_1',
    position: events.at(-1)?.position,
    recordedAt: events.at(-1)?.metadata.recorded_at,
  });
});

const chained = async (id: BalanceId, on: EventLog = log): Promise<readonly LoggedEvent[]> => {
  const all: LoggedEvent[] = [];
  for await (const events of new BalanceReader(on, lengths.chapterLength).chained(id))
    all.push(...events);
  return all;
};

it('reads the hash chain over all chapters', async () => {
  const events = await balanceEvents();
  expect(await chained(balanceOf(events))).toEqual(
    events.filter(({ type }) => type === 'balance.posted'),
  );
  expect(new Set(events.map(({ stream }) => stream)).size).toBeGreaterThan(4);
});

it('leaves nothing out of the hash chain while chapters are filled', async () => {
  const id = balanceOf(await balanceEvents());
  let entries = 20;
  const numbers: number[] = [];
  for await (const events of reader.chained(id)) {
    numbers.push(...events.map(({ data }) => (data as { number: number }).number));
    // at the last entry, before the reader continues, the next chapters are filled
    if (numbers.length < entries || entries > 40) continue;
    for (let n = 0; n < 10; n++)
      await sales.take({ sale: entries, to: 'corrected', amount: ++entries, ...still });
    await post(log);
  }
  expect(entries).toBeGreaterThan(20);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

it('says that a balance belongs to the owner that its first event names', async () => {
  const [first] = await balanceEvents();
  const id = balanceOf(await balanceEvents());
  expect(await reader.owner(id)).toEqual({
    accountId: 'acct_1',
    about: {
      balance_id: id,
      affiliate_id: (first?.data as { affiliate_id: string }).affiliate_id,
      program_id: 'prog_spring',
      currency: 'USD',
    },
  });
  expect(await reader.owner('bal_none')).toBeUndefined();
});

it('reads any part of a balance over all chapters, in pieces of any size', async () => {
  const events = await balanceEvents();
  const id = balanceOf(events);
  const eventAt = (index: number) => {
    const { stream, revision } = present(events[index]);
    return { chapter: Number(stream.split('-').at(-1)), revision };
  };
  for (const [from, to, size] of [
    [0, events.length - 1, undefined],
    [3, 20, 3],
    [5, 5, 1],
    [7, 8, 100],
    [11, 30, 8],
  ] as const) {
    const read: string[] = [];
    for await (const piece of reader.eventsBetween(
      id,
      { first: eventAt(from), last: eventAt(to) },
      size,
    )) {
      expect(piece.length).toBeLessThanOrEqual(size ?? lengths.chapterLength);
      read.push(...piece.map((event) => event.position));
    }
    expect(read).toEqual(events.slice(from, to + 1).map(({ position }) => position));
  }
});
