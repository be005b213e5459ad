import { setTimeout as sleep } from 'node:timers/promises';
import { publicEventTypes } from '@refledger/contracts';
import type { Affiliate as AffiliateRecord, Endpoint } from '@refledger/testing';
import { readBalances } from './checking/balances.js';
import { expectedBooks } from './checking/books.js';
import { checksOf } from './checking/checks.js';
import { Scenario } from './scenario.js';
import { shopDay } from './day/day.js';
import { payEverybody } from './payday.js';
import { closeLedger, figuresOf, paidFigures, type Ledger } from './checking/ledger.js';
import { affiliates, programs } from './day/people.js';
import type { Show } from './screen/screen-state.js';
import { openHarness, type Harness } from './service/harness.js';
import {
  countedFigures,
  readPaid,
  readSales,
  readStatistics,
  type KnownAffiliate,
} from './checking/statistics.js';

export interface DemoOptions {
  readonly seed: number;
  /** How long the shop's day takes, in seconds; 0 means as fast as possible. */
  readonly seconds: number;
  /** Whether one webhook is changed in transit, which the ledger must notice. */
  readonly tamper: boolean;
  readonly show: Show;
  readonly signal: AbortSignal;
}

/**
 * Runs a shop's day from an empty directory to the ledger. Removes everything it made, however it
 * ends.
 */
export const runDemo = async ({
  seed,
  seconds,
  tamper,
  show,
  signal,
}: DemoOptions): Promise<Ledger> => {
  const day = shopDay(seed);
  const books = expectedBooks(day, affiliates);
  const harness = await openHarness({
    tamper,
    signal,
    onArrival: (arrival) => scenario.arrived(arrival),
  });
  const scenario = new Scenario({ harness, show, seconds, signal });
  try {
    show.update({ type: 'service', state: 'up' });
    await subscribe(harness);
    await openPrograms(harness);
    const known = await register(harness);
    const watching = watchStatistics(harness, known, show, signal);
    await scenario.play(day, new Map(known.map(({ name, id }) => [name, id])));
    const { shop, receiver } = harness;
    await payEverybody({
      ...{ shop, show, signal },
      names: new Map(known.map(({ name, id }) => [id, name])),
      awaited: scenario.awaited,
      firstLine: day.length,
    });
    await delivered(harness, books.events.size, signal);
    await watching.end();
    const [sales, statistics, balances, paid] = await Promise.all([
      readSales(shop),
      readStatistics(shop, known),
      readBalances(shop),
      readPaid(shop),
    ]);
    show.update({ type: 'statistics', statistics });
    return closeLedger(
      {
        sent: { ...figuresOf(books.sales), ...paidFigures(books.payouts.values()) },
        stored: { ...figuresOf(sales), ...paidFigures(paid) },
        counted: { ...countedFigures(statistics), ...paidFigures(balances.paid) },
        delivered: { ...figuresOf(receiver.sales()), ...paidFigures(receiver.paid()) },
      },
      checksOf({
        books,
        receiver,
        responses: scenario.responses,
        earned: balances.earned,
        kills: scenario.kills,
      }),
    );
  } finally {
    await harness.close();
  }
};

const subscribe = async ({ shop, receiver }: Harness): Promise<void> => {
  const events = publicEventTypes.filter((kind) => /^(affiliate|conversion|payout)\./.test(kind));
  const { secret = '' } = (
    await shop.send('POST', '/v1/webhooks/subscribe', { target_url: receiver.url, events })
  ).body as Endpoint;
  receiver.expect(secret);
};

const openPrograms = ({ shop }: Harness): Promise<unknown> =>
  Promise.all(
    programs.map(({ id, name, terms }) => shop.send('POST', '/v1/programs', { id, name, terms })),
  );

const register = ({ shop }: Harness): Promise<KnownAffiliate[]> =>
  Promise.all(
    affiliates.map(async (affiliate) => {
      const { name, email, program, commission } = affiliate;
      const { id } = (
        await shop.send('POST', '/v1/affiliates', { name, email, program_id: program.id })
      ).body as AffiliateRecord;
      const approval = { status: 'approved', ...(commission && { commission }) };
      await shop.send('PATCH', `/v1/affiliates/${id}`, approval);
      return { ...affiliate, id };
    }),
  );

/** Shows the service's statistics repeatedly until `end` is called. */
const watchStatistics = (
  { shop }: Harness,
  known: readonly KnownAffiliate[],
  show: Show,
  signal: AbortSignal,
): { end(): Promise<void> } => {
  const ending = new AbortController();
  const until = AbortSignal.any([signal, ending.signal]);
  const watch = async (): Promise<void> => {
    while (!until.aborted) {
      show.update({ type: 'statistics', statistics: await readStatistics(shop, known) });
      await sleep(300, undefined, { signal: until }).catch(() => undefined);
    }
  };
  const watching = watch().catch(() => undefined);
  return { end: () => (ending.abort(), watching) };
};

/**
 * Waits for the last webhooks, up to `timeoutMs`. The ledger reports any that are still missing.
 */
const delivered = async (
  { receiver }: Harness,
  expected: number,
  signal: AbortSignal,
): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  while (receiver.events.size < expected && performance.now() < deadline)
    await sleep(20, undefined, { signal });
};

const timeoutMs = 30_000;
