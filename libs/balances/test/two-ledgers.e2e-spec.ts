import type { EventLog } from '@refledger/event-log';
import { raceAtEveryStep, SteppedLog } from '@refledger/event-log/conformance';
import type { ReadStore } from '@refledger/read-store';
import fc from 'fast-check';
import { Embedded, postToHead } from './embedded.js';
import { expectLaws } from './laws.js';
import { changeOrAdjustment, sale, Sales, type Change } from './sales.js';

const lengths = { chapterLength: 9, carriedRanges: 1 };
const embedded = new Embedded();
let log: EventLog;
let shared: ReadStore;
let other: ReadStore;
let now = Date.UTC(2026, 0, 31, 23);
beforeAll(async () => {
  log = await embedded.openLog();
  shared = await embedded.openStore('shared');
  other = await embedded.openStore('other');
});
afterAll(() => embedded.remove());

const run = (on: EventLog, store: ReadStore): Promise<void> =>
  postToHead({ log: on, store, now: () => now, ...lengths });

/** Starts a ledger again and again until it gets to the end of the log. */
const runOnAndOn = async (on: EventLog, store: ReadStore): Promise<void> => {
  for (;;)
    try {
      return await run(on, store);
    } catch (error) {
      expect(error).toMatchObject({ message: 'another ledger has saved progress in the meantime' });
    }
};

const twoDays = ['2026-02-01', '2026-02-02'].map(
  (day) => ({ affiliate: 'aff_a', currency: 'USD', day }) as const,
);
const corrected = (amount: number): Change => ({
  sale: amount % 2,
  to: amount <= 2 ? 'approved' : 'corrected',
  amount,
  minutes: 0,
  ahead: 0,
});

/** Records nine entries of one balance: more than one chapter. */
const nineEntries = async (): Promise<Sales> => {
  const sales = new Sales(log, twoDays, now);
  for (let amount = 1; amount < 10; amount++) await sales.take(corrected(amount));
  return sales;
};

it.each([
  ['with one store', () => shared],
  ['with separate stores', () => other],
])(
  'a ledger that pauses before any append finds what another has posted, %s',
  async (_, rivals) => {
    const pauses = await raceAtEveryStep(log, {
      setUp: nineEntries,
      paused: (on) => runOnAndOn(on, shared),
      rival: () => runOnAndOn(log, rivals()),
      check: (sales) => expectLaws(log, sales, lengths),
    });
    // it opens a chapter and fills it, opens the next one, carries two days, and posts the rest;
    // and the last pause is at its end
    expect(pauses).toBe(7);
  },
);

it('two ledgers that append in any order make the same balances', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sale, { minLength: 1, maxLength: 3 }),
      fc.array(changeOrAdjustment, { minLength: 10, maxLength: 40 }),
      fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
      async (sold, changes, order) => {
        const sales = new Sales(log, sold, now);
        for (const next of changes) await sales.take(next);
        now = sales.now;
        await interleaved(order);
        await expectLaws(log, sales, lengths);
      },
    ),
    { numRuns: 20 },
  );
});

/** Lets the appends of two ledgers through one at a time, in this order; then all that are left. */
const interleaved = async (order: readonly boolean[]): Promise<void> => {
  const ledgers = [shared, other].map((store) => {
    const { log: stepped, steps } = SteppedLog.wrap(log);
    return { steps, ended: runOnAndOn(stepped, store) };
  });
  for (const isFirst of order) {
    const ledger = ledgers[isFirst ? 0 : 1];
    await ledger?.steps.step(ledger.ended);
  }
  await Promise.all(
    ledgers.map(async ({ steps, ended }) => {
      while (await steps.step(ended));
      await ended;
    }),
  );
};
