import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import fc from 'fast-check';
import { postingName } from '../src/index.js';
import { Embedded, postToHead } from './embedded.js';
import { faultyLog, type Fault } from './faulty-log.js';
import { expectLaws } from './laws.js';
import { changeOrAdjustment, sale, Sales } from './sales.js';

/** A ledger that starts, and ends with this fault at its nth append, or else at the log's end. */
interface Start {
  /** Its checkpoint: the last one, an older one, or none. */
  readonly from: 'first store' | 'second store' | 'lost store';
  readonly at: number;
  readonly fault: Fault;
}

const start: fc.Arbitrary<Start> = fc.record({
  from: fc.constantFrom('first store', 'second store', 'lost store'),
  at: fc.nat(8),
  fault: fc.constantFrom(
    'crash before it',
    'crash before it',
    'crash after it',
    'crash after it',
    'unknown, lost',
    'unknown, written',
  ),
});

const happenings = fc.array(
  fc.oneof(
    { arbitrary: changeOrAdjustment, weight: 5 },
    { arbitrary: fc.record({ start }), weight: 1 },
  ),
  { minLength: 20, maxLength: 80 },
);

describe.each([
  [6, 4],
  [9, 1],
  [20, 2],
])('with chapters of %i events and %i ranges per event', (chapterLength, carriedRanges) => {
  const lengths = { chapterLength, carriedRanges };
  const embedded = new Embedded();
  let log: EventLog;
  let stores: Readonly<Record<Start['from'], ReadStore>>;
  let now = Date.UTC(2026, 0, 31, 23);
  beforeAll(async () => {
    log = await embedded.openLog();
    const lost = await embedded.openStore('lost');
    stores = {
      'first store': await embedded.openStore('first'),
      'second store': await embedded.openStore('second'),
      'lost store': lost,
    };
  });
  afterAll(() => embedded.remove());

  const run = async (from: Start['from'], on: EventLog): Promise<void> => {
    const store = stores[from];
    if (from === 'lost store')
      for (const build of await store.builds(postingName)) await store.dropBuild(build);
    await postToHead({ log: on, store, now: () => now, ...lengths });
  };

  it('posts everything owed once and in order, whatever happens to ledgers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sale, { minLength: 1, maxLength: 6 }),
        happenings,
        async (sold, happened) => {
          const sales = new Sales(log, sold, now);
          for (const next of happened)
            if ('start' in next) {
              const { from, at, fault } = next.start;
              await run(from, faultyLog(log, at, fault)).catch(expectCrash);
            } else {
              await sales.take(next);
              now = sales.now;
            }
          await run('first store', log);
          await expectLaws(log, sales, lengths);
          const before = await log.head();
          await run('second store', log);
          await run('lost store', log);
          expect(await log.head()).toEqual(before);
        },
      ),
      { numRuns: 20, endOnFailure: process.env['CI'] === undefined },
    );
  });
});

const expectCrash = (error: unknown): void => {
  expect(error).toMatchObject({ message: 'crashed' });
};
