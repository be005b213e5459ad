import {
  listPostingDecisions,
  type EventLog,
  type LogBatch,
  type LoggedEvent,
} from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { auditBalances } from '../src/index.js';
import { Embedded, postToHead } from './embedded.js';
import { atNoon, decide, poison, sell } from './sell.js';

const embedded = new Embedded();
let log: EventLog;
let store: ReadStore;
const lengths = { chapterLength: 5, carriedRanges: 1 };
const post = (): Promise<void> => postToHead({ log, store, now: atNoon, ...lengths });
beforeAll(async () => {
  log = await embedded.openLog();
  store = await embedded.openStore();
  for (const amount of [1, 2, 3, 4, 5]) await sell(log, { amount });
  await sell(log, { amount: 7, affiliate: 'aff_b' });
  await post();
});
afterAll(() => embedded.remove());

type Alter = (event: LoggedEvent, index: number) => readonly LoggedEvent[];

/** Audits the log as if its events had been altered. Returns what differs, and what was read. */
const audit = async (alter: Alter = (event) => [event]) => {
  const altered: Pick<EventLog, 'readAll'> = {
    readAll: async function* (options) {
      let index = 0;
      for await (const batch of log.readAll(options))
        yield {
          ...batch,
          events: batch.events.flatMap((event) => alter(event, index++)),
        } satisfies LogBatch;
    },
  };
  const audited = auditBalances({
    log: altered,
    postedThrough: await log.head(),
    decisions: await listPostingDecisions(log),
    signal: new AbortController().signal,
  });
  const problems: string[] = [];
  for (;;) {
    const next = await audited.next();
    if (next.done === true) return { problems, read: next.value };
    problems.push(`${next.value.about.affiliate_id}: ${next.value.problem}`);
  }
};

/** Changes the data of the entry with this number of the first affiliate. */
const changed =
  (number: number, change: (data: Record<string, unknown>) => object): Alter =>
  (event) => {
    const data = event.data as Record<string, unknown>;
    const isIt =
      event.type === 'balance.posted' &&
      data['affiliate_id'] === 'aff_a' &&
      data['number'] === number;
    return [isIt ? { ...event, data: { ...data, ...change(data) } } : event];
  };

describe('an audit', () => {
  it('finds nothing in what the ledger has posted, over several chapters', async () => {
    expect(await audit()).toEqual({ problems: [], read: { balances: 2, entries: 6 } });
  });

  it.each<[string, (data: Record<string, unknown>) => object, readonly RegExp[]]>([
    ['amount', () => ({ amount: 200 }), [/hash/, /its amount is 200, but its source says 2/]],
    ['day', () => ({ payable_on: '2026-03-03' }), [/hash/, /its payable_on is 2026-03-03/]],
    ['kind', () => ({ kind: 'correction' }), [/hash/, /its kind is correction/]],
    ['month', () => ({ posted_at: '2026-02-01T00:00:00.000Z' }), [/hash/, /its posted_at is/]],
    ['text', () => ({ description: 'x' }), [/hash/, /its description is x/]],
    [
      'number',
      () => ({ number: 9 }),
      [/hash/, /entry 9 follows entry 1/, /entry 3 follows entry 9/],
    ],
    ['hash', () => ({ chain: '0'.repeat(64) }), [/hash/, /hash/]],
  ])('finds a changed %s of an entry', async (_, change, expected) => {
    const { problems } = await audit(changed(2, change));
    for (const pattern of expected)
      expect(problems).toContainEqual(
        expect.stringMatching(new RegExp(`aff_a.*${pattern.source}`)),
      );
    expect(problems.every((problem) => problem.startsWith('aff_a'))).toBe(true);
  });

  it('finds that an entry is missing', async () => {
    const removeEntry: Alter = (event) => {
      const { number } = event.data as { readonly number?: number };
      return event.type === 'balance.posted' && number === 3 ? [] : [event];
    };
    expect((await audit(removeEntry)).problems).toContainEqual(
      'aff_a: this event changes the amount owed by 3, but no entry was posted for it',
    );
  });

  it('finds that something was posted twice', async () => {
    const twice: Alter = (event) => (event.type === 'balance.posted' ? [event, event] : [event]);
    expect((await audit(twice)).problems).toContainEqual(
      expect.stringMatching(/causes no entry, or was already posted/),
    );
  });

  it('finds a chapter that starts with a different state from the one that the chapter before ended with', async () => {
    const other: Alter = (event) => {
      if (event.type !== 'balance.opened') return [event];
      const data = event.data as { readonly chapter: number; readonly state: object };
      const state = { ...data.state, earned: '1000000' };
      return [data.chapter === 1 ? { ...event, data: { ...data, state } } : event];
    };
    const { problems } = await audit(other);
    expect(problems).toContainEqual(
      'aff_a: chapter 1 starts with a different state from the one that chapter 0 ended with',
    );
    expect(problems).toContainEqual(
      expect.stringMatching(
        /^aff_a: earned and adjusted are \d+, but open, in payouts and paid are \d+$/,
      ),
    );
  });

  it('finds what was skipped, unless no one can read it', async () => {
    const position = await sell(log, { amount: 9 });
    const unreadable = await poison(log);
    const ids = await Promise.all([position, unreadable].map((at) => log.eventAt(at)));
    for (const event of ids)
      if (event !== undefined)
        await decide(log, { type: 'skip', event_id: event.id, position: event.position });
    await post();
    expect((await audit()).problems).toEqual([
      'aff_a: this event changes the amount owed by 9, but no entry was posted for it, because it was skipped',
    ]);
  });
});
