import { isEventOf, type RecordedEvent } from '@refledger/contracts';
import { figuresOf } from '@refledger/domain';
import { decodeEvent, type EventLog, type ReadStreamOptions } from '@refledger/event-log';
import {
  balancesProjection,
  figuresFromDocument,
  type BalanceDocument,
} from '@refledger/projections';
import type { ReadStore } from '@refledger/read-store';
import fc from 'fast-check';
import { BalanceReader } from '../src/index.js';
import { allOf, Embedded, postToHead } from './embedded.js';
import { change, sale, Sales } from './sales.js';

const lengths = { chapterLength: 9, carriedRanges: 1 };
const embedded = new Embedded();
let log: EventLog;
let store: ReadStore;
let now = Date.UTC(2026, 0, 31, 23);
beforeAll(async () => {
  log = await embedded.openLog();
  store = await embedded.openStore();
});
afterAll(() => embedded.remove());

const post = (): Promise<void> => postToHead({ log, store, now: () => now, ...lengths });

/** What the projection makes of all events. */
const documents = (events: readonly RecordedEvent[]): ReadonlyMap<string, BalanceDocument> => {
  const all = new Map<string, BalanceDocument>();
  for (const event of events)
    for (const key of balancesProjection.keysOf(event)) {
      expect(key.begins).toBe(!all.has(key.id));
      const after = balancesProjection.evolve(all.get(key.id), event, key);
      if (after) all.set(key.id, after as BalanceDocument);
    }
  return all;
};

const balanceEvents = async (): Promise<readonly RecordedEvent[]> =>
  (await allOf(log)).map(decodeEvent).filter((event) => isEventOf('balance', event));

it('a document and a stream show the same, and so does a reader that kept the balance', async () => {
  const kept = new BalanceReader(log, lengths.chapterLength);
  await fc.assert(
    fc.asyncProperty(
      fc.array(sale, { minLength: 1, maxLength: 3 }),
      fc.array(fc.array(change, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 }),
      async (sold, rounds) => {
        const sales = new Sales(log, sold, now);
        for (const changes of rounds) {
          for (const next of changes) await sales.take(next);
          now = sales.now;
          await post();
          const fresh = new BalanceReader(log, lengths.chapterLength);
          for (const [id, document] of documents(await balanceEvents())) {
            const [one, other] = [await kept.load(document.id), await fresh.load(document.id)];
            expect({ ...one, state: one && figuresOf(one.state) }).toEqual({
              ...other,
              state: figuresFromDocument(document),
            });
            expect([one?.state.through, one?.state.length]).toEqual([
              other?.state.through,
              other?.state.length,
            ]);
            expect([id, one?.recordedAt, await fresh.createdAt(document.id)]).toEqual([
              document.id,
              document.updated_at,
              document.created_at,
            ]);
            expect(document.is_open).toBe(figuresFromDocument(document).open.length > 0);
          }
        }
      },
    ),
    { numRuns: 10 },
  );
});

it('a balance that was kept costs one event, and is read again if its event is not there', async () => {
  const [{ id = 'bal_none' } = {}] = documents(await balanceEvents()).values();
  const reads: (ReadStreamOptions | undefined)[] = [];
  let isRestored = false;
  const watched: Pick<EventLog, 'readStream'> = {
    readStream: async function* (stream, options) {
      reads.push(options);
      for await (const events of log.readStream(stream, options))
        yield isRestored && options?.from !== undefined
          ? events.map((event) => ({ ...event, position: '0' as typeof event.position }))
          : events;
    },
  };
  const reader = new BalanceReader(watched, lengths.chapterLength);
  const first = await reader.load(id);
  reads.length = 0;
  expect(await reader.load(id)).toBe(first);
  expect(reads).toEqual([{ from: (first?.state.length ?? 0) - 1 }]);
  isRestored = true;
  expect(await reader.load(id)).toEqual(first);
});

it('the chain has every event, though a chapter is filled while it is read', async () => {
  const [owner] = [{ affiliate: 'aff_z', currency: 'USD', day: '2026-02-01' }] as const;
  const sales = new Sales(log, [owner], now);
  const grow = async (): Promise<void> => {
    for (let amount = 1; amount <= 12; amount++)
      await sales.take({
        sale: 0,
        to: amount === 1 ? 'approved' : 'corrected',
        amount,
        minutes: 0,
        ahead: 0,
      });
    now = sales.now;
    await post();
  };
  await sales.take({ sale: 0, to: 'approved', amount: 99, minutes: 0, ahead: 0 });
  await post();
  const ids = [...documents(await balanceEvents()).values()];
  const { id } = ids.at(-1) ?? { id: 'bal_none' };

  const numbers: number[] = [];
  let hasGrown = false;
  for await (const events of new BalanceReader({
    readStream: async function* (stream, options) {
      yield* log.readStream(stream, options);
      if (!hasGrown) await grow();
      hasGrown = true;
    },
  }).chained(id))
    numbers.push(...events.map(({ data }) => (data as { readonly number: number }).number));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});
