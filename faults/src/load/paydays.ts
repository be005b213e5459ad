import type { Affiliate } from '@refledger/testing';
import { sixteenAtATime } from '../sixteen-at-a-time.js';
import type { Intent, Outcome } from '../ledger.js';
import { create, createAtOnce, type Writing } from './act.js';
import { createAffiliatesIn } from './affiliates.js';
import { subscribeTo } from './endpoints.js';
import type { Load } from './load.js';
import { createPrograms } from './programs.js';
import { clearUp } from './writers.js';

const singlePayouts = 50;

/**
 * In each round something is owed on all of these balances. Then two runs for everyone and fifty
 * single payouts are requested at the same instant.
 */
export const paydays = (balances: number): Load => ({
  begin: async (writing) => {
    await createPrograms(writing);
    await createAffiliatesIn('prog_automatic', balances, writing);
    await subscribeTo(writing, '/steady');
  },
  start: async (writing) => {
    await owe(writing);
    const paying = payEverybody(writing);
    return { stop: async () => void (await paying) };
  },
});

/** First settles what an earlier round left unknown. */
const owe = async (writing: Writing): Promise<void> => {
  for (let settled; (settled = clearUp(writing)) !== undefined;) await settled;
  await sixteenAtATime(writing.known.affiliates, async (affiliate) => {
    // the deduction comes first: no payout can be between them
    const amounts = [
      -writing.random.intBetween(1, 50_000),
      writing.random.intBetween(50_000, 1_000_000),
    ];
    for (const amount of amounts) await owed(writing, affiliate, amount);
  });
};

const owed = (writing: Writing, { id }: Affiliate, amount: number): Promise<void> =>
  createAtOnce(writing, {
    what: 'adjustment.create',
    method: 'POST',
    path: '/v1/adjustments',
    body: {
      affiliate_id: id,
      currency: 'USD',
      amount,
      description: 'Bonus',
      external_id: writing.known.name('bonus'),
    },
  });

const payEverybody = (writing: Writing): Promise<readonly Outcome[]> => {
  const { known, random } = writing;
  const run = (): Intent => ({
    what: 'payout_run.create',
    method: 'POST',
    path: '/v1/payout-runs',
    body: { ignore_minimum: true },
    key: known.name('key'),
  });
  const single = (): Intent => ({
    what: 'payout.create',
    method: 'POST',
    path: '/v1/payouts',
    body: {
      affiliate_id: random.pick(known.affiliates)?.id,
      currency: 'USD',
      ignore_minimum: true,
    },
    key: known.name('key'),
  });
  const intents = [run(), ...Array.from({ length: singlePayouts }, single), run()];
  return Promise.all(intents.map((intent) => create(writing, intent)));
};
