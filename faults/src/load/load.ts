import type { Writing } from './act.js';
import { fillChapter } from './adjustments.js';
import { createFirstAffiliates } from './affiliates.js';
import { enableRestless, restless, subscribeTo } from './endpoints.js';
import { createFirstPayouts } from './first-payouts.js';
import { createFirstSales } from './first-sales.js';
import { createPrograms } from './programs.js';
import { replayToLate } from './replays.js';
import { startWriters, type Writers } from './writers.js';

/** The requests that are sent to the service before the first round, and in each round. */
export interface Load {
  begin(writing: Writing): Promise<void>;
  /** Resolves once writing has started: the fault of the round follows. */
  start(writing: Writing): Promise<Writers>;
  /** Called after the last round. */
  end?(writing: Writing): Promise<void>;
}

/** Writers that choose at random what they do: everything that the API offers, at the same time. */
export const randomLoad = (writers = 8): Load => ({
  begin: async (writing) => {
    await createPrograms(writing);
    await createFirstAffiliates(writing);
    await fillChapter(writing, 995);
    // before the sales: receivers get every one
    for (const path of ['/steady', '/flaky-1', '/flaky-2', '/slow'])
      await subscribeTo(writing, path);
    await subscribeTo(writing, restless, undefined, { max_per_second: 1_000 });
    await createFirstSales(writing);
    await createFirstPayouts(writing);
    await replayToLate(writing, '/late-1');
  },
  start: (writing) => Promise.resolve(startWriters(writing, writers)),
  end: async (writing) => void (await enableRestless(writing)),
});
