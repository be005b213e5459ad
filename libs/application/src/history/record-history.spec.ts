import fc from 'fast-check';
import {
  derivedId,
  isEventOf,
  streams,
  toInstant,
  toPosition,
  type AffiliateEvent,
  type AffiliateFields,
  type Position,
  type RecordedEvent,
} from '@refledger/contracts';
import {
  affiliateEvents,
  affiliateFields,
  plainAffiliate,
  plainValues,
} from '@refledger/domain/testing';
import {
  encodeEvent,
  UnreadableEvent,
  type EventLog,
  type LoggedEvent,
} from '@refledger/event-log';
import { FoldCache } from './fold-cache.js';
import { ThrottledReads } from './throttled-reads.js';
import { RecordHistory, type PastChange } from './record-history.js';

const affiliate_id = derivedId('affiliate', 'ada');
const about = { affiliate_id, program_id: 'prog_a' } as const;
const named = (name: string): AffiliateFields => ({ ...affiliateFields, name });
const renamed = (before: string, after: string): AffiliateEvent =>
  affiliateEvents.changed('affiliate.updated', about, [named(before), named(after)]);
const positionOf = (position: number): Position =>
  toPosition(String(position)) ?? ('0' as Position);
const logged = (event: AffiliateEvent, revision: number): LoggedEvent => ({
  ...encodeEvent(event, `event-${revision}`, {
    account_id: 'acct_a',
    actor: 'suite',
    request_id: 'r',
    recorded_at: toInstant(Date.UTC(2026, 0, 1) + revision),
  }),
  stream: streams.affiliate(affiliate_id),
  revision,
  position: positionOf(10 * (revision + 1)),
});
const events = [
  affiliateEvents.created(about, named('A')),
  renamed('A', 'B'),
  renamed('B', 'C'),
  renamed('C', 'D'),
].map(logged);
const nameAfter = (event: RecordedEvent | undefined): string | undefined =>
  event !== undefined && isEventOf('affiliate', event) && 'sealed' in event.data
    ? plainValues(event.data.sealed).name
    : undefined;
const ofAda = { kind: 'affiliate', stream: streams.affiliate(affiliate_id) } as const;
const reader = { accountId: 'acct_a', keyId: 'key_a' } as const;

describe('the history of a record', () => {
  let read: number[];
  let stored: readonly LoggedEvent[];
  /** A log of the stored events, which it reads in batches of two. */
  const log: Pick<EventLog, 'readStream'> = {
    async *readStream(_stream, { from = 0, to = stored.length } = {}) {
      const wanted = stored.filter(({ revision }) => revision >= from && revision <= to);
      for (let n = 0; n < wanted.length; n += 2) {
        const batch = wanted.slice(n, n + 2);
        read.push(...batch.map(({ revision }) => revision));
        yield await Promise.resolve(batch);
      }
    },
  };
  beforeEach(() => void ([read, stored, waited] = [[], events, 0]));
  const ada = () => ({ ...ofAda, revision: stored.length - 1, reader });
  /** How many reads have waited for their turn. */
  let waited: number;
  const paced = new ThrottledReads(
    {
      run: (_reader, read) => {
        waited++;
        return read();
      },
    },
    { now: () => 0, sleep: () => Promise.resolve() },
  );
  /** A history that keeps a fold of every third event, of at most `max` events. */
  const historyOf = (max = 100): RecordHistory =>
    new RecordHistory(log, paced, new FoldCache({ every: 3, maxSize: 9_000 * max }));
  const nameAt = async (history: RecordHistory, position: number): Promise<string | undefined> => {
    const record = await history.recordAt(ada(), positionOf(position));
    return record?.object === 'affiliate' ? plainAffiliate(record).name : undefined;
  };

  /** The names before and after each change. */
  const namesIn = (changes: readonly PastChange[]) =>
    changes.map(({ previous, event }) => [nameAfter(previous), nameAfter(event)]);

  it('needs no events other than those on the page and the one before it', async () => {
    const changes = await historyOf().changes(ada(), { from: 2, to: 3 });
    expect(read).toEqual([1, 2, 3]);
    expect(changes.map(({ event: { revision } }) => revision)).toEqual([2, 3]);
    expect(namesIn(changes)).toEqual([
      ['B', 'C'],
      ['C', 'D'],
    ]);
    expect(changes.map(({ record }) => record)).toEqual([undefined, undefined]);
  });

  it('has nothing before the first event', async () => {
    const pages = [
      await historyOf().changes(ada(), { from: 0, to: 1 }),
      await historyOf().changesWithRecords(ada(), { from: 0, to: 1 }),
    ];
    for (const changes of pages)
      expect(namesIn(changes)).toEqual([
        [undefined, 'A'],
        ['A', 'B'],
      ]);
  });

  it('folds from the start for records, and not past the page', async () => {
    const changes = await historyOf().changesWithRecords(ada(), { from: 1, to: 2 });
    expect(read).toEqual([0, 1, 2]);
    expect(namesIn(changes)).toEqual([
      ['A', 'B'],
      ['B', 'C'],
    ]);
    expect(
      changes.map(({ record }) => record?.object === 'affiliate' && plainAffiliate(record)),
    ).toMatchObject([
      { name: 'B', revision: 1 },
      { name: 'C', revision: 2 },
    ]);
  });

  it('has the event before a change also when it starts from a kept fold', async () => {
    const history = historyOf();
    const page = { from: 3, to: 3 };
    const first = await history.changesWithRecords(ada(), page);
    read = [];
    expect(await history.changesWithRecords(ada(), page)).toEqual(first);
    expect(read).toEqual([2, 3]);
    expect(namesIn(first)).toEqual([['C', 'D']]);
  });

  it('has the record as of any position, and reads no further than needed', async () => {
    const history = historyOf();
    expect(await nameAt(history, 9)).toBeUndefined();
    expect(read).toEqual([0, 1]);
    const names = [];
    for (const position of [10, 19, 20, 1_000]) names.push(await nameAt(history, position));
    expect(names).toEqual(['A', 'A', 'B', 'D']);
    stored = [];
    expect(await historyOf().recordAt(ada(), positionOf(10))).toBeUndefined();
  });

  it('cannot be read where an event cannot', async () => {
    stored = events.map((event) =>
      event.revision === 3 ? { ...event, type: 'affiliate.from-the-future' } : event,
    );
    const history = historyOf();
    await expect(history.changes(ada(), { from: 2, to: 3 })).rejects.toThrow(UnreadableEvent);
    await expect(history.recordAt(ada(), positionOf(40))).rejects.toThrow(UnreadableEvent);
    expect(await nameAt(history, 29)).toBe('B');
  });

  describe('of many revisions', () => {
    const names = Array.from({ length: 30 }, (_, n) => `name ${n}`);
    const long = names.map((name, n) => (n === 0 ? events[0] : logged(renamed('before', name), n)));
    const many = long.flatMap((event) => event ?? []);

    it('gives the same result as folding it from its start, in any order and with any amount of room for folds', async () => {
      stored = many;
      const reads = fc.array(fc.integer({ min: 0, max: 310 }), { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(reads, fc.integer({ min: 0, max: 12 }), async (positions, max) => {
          const history = historyOf(max);
          for (const position of positions) {
            expect(await history.recordAt(ada(), positionOf(position))).toEqual(
              await historyOf(0).recordAt(ada(), positionOf(position)),
            );
            const page = { from: Math.floor(position / 20), to: Math.floor(position / 11) };
            expect(await history.changesWithRecords(ada(), page)).toEqual(
              await historyOf(0).changesWithRecords(ada(), page),
            );
          }
        }),
      );
    });

    it('is folded from its start only once', async () => {
      stored = many;
      const history = historyOf();
      await nameAt(history, 300);
      expect(waited).toBe(1);
      for (let revision = 1; revision < many.length; revision++) {
        read = [];
        expect(await nameAt(history, 10 * (revision + 1))).toBe(names[revision]);
        expect(read.length).toBeLessThanOrEqual(4);
        read = [];
        await history.changesWithRecords(ada(), { from: revision, to: revision });
        expect(read.length).toBeLessThanOrEqual(4);
      }
      expect(waited).toBe(1);
    });

    it('is read again from its start when the log has lost events', async () => {
      stored = many;
      const history = historyOf();
      await nameAt(history, 300);
      const other = (n: number): LoggedEvent => ({
        ...logged(renamed('before', `other ${n}`), n),
        id: `other-${n}`,
      });
      stored = [...many.slice(0, 5), ...Array.from({ length: 9 }, (_, n) => other(n + 5))];
      expect(await nameAt(history, 100)).toBe('other 9');
      expect(await nameAt(history, 1_000)).toBe('other 13');

      const denser = stored.map((event) => ({
        ...event,
        position: positionOf(event.revision + 1),
      }));
      stored = denser;
      expect(await nameAt(history, 14)).toBe('other 13');
      expect(await nameAt(history, 3)).toBe('name 2');

      stored = denser.slice(0, 2);
      expect(await nameAt(history, 14)).toBe('name 1');
      expect(await history.changesWithRecords(ada(), { from: 0, to: 9 })).toHaveLength(2);
    });
  });
});
