import type { EventLog } from '@refledger/event-log';
import { raceAtEveryStep } from '@refledger/event-log/conformance';
import { Embedded, postToHead } from './embedded.js';
import { withoutExpectation, withoutThrough } from './faulty-log.js';
import { expectLaws } from './laws.js';
import { Sales } from './sales.js';

/** Each law must break without the mechanism that keeps it, or its test would prove nothing. */
describe('the laws break', () => {
  const lengths = { chapterLength: 9, carriedRanges: 1 };
  const now = Date.UTC(2026, 0, 31, 23);
  let embedded: Embedded;
  let log: EventLog;
  beforeEach(async () => {
    embedded = new Embedded();
    log = await embedded.openLog();
  });
  afterEach(() => embedded.remove());

  let stores = 0;
  const post = async (on: EventLog): Promise<void> =>
    postToHead({
      log: on,
      store: await embedded.openStore(`store ${stores++}`),
      now: () => now,
      ...lengths,
    });
  const oneSale = async (): Promise<Sales> => {
    const sales = new Sales(log, [{ affiliate: 'aff_a', currency: 'USD', day: '2026-02-01' }], now);
    for (const amount of [1, 2])
      await sales.take({ sale: 0, to: 'approved', amount, minutes: 0, ahead: 0 });
    return sales;
  };

  it('without the last event posted: a ledger without a checkpoint posts again', async () => {
    const sales = await oneSale();
    await post(withoutThrough(log));
    await expectLaws(log, sales, lengths);
    await post(withoutThrough(log));
    await expect(expectLaws(log, sales, lengths)).rejects.toThrow();
  });

  it('without the expected revision: of two ledgers, both post', async () => {
    const race = raceAtEveryStep(log, {
      setUp: oneSale,
      paused: (on) => post(withoutExpectation(on)),
      rival: () => post(withoutExpectation(log)),
      check: (sales) => expectLaws(log, sales, lengths),
    });
    await expect(race).rejects.toThrow();
  });
});
