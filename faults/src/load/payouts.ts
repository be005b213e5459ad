import type { Page, Payout, Random } from '@refledger/testing';
import type { Intent, Outcome } from '../ledger.js';
import { create, type WriteAction, type Writing } from './act.js';
import { currencies } from './programs.js';

/** A day up to ten months ago, so that a payout skips entries that have become payable since. */
export const drawPastDay = (random: Random): string =>
  new Date(Date.now() - random.intBetween(1, 300) * 86_400_000).toISOString().slice(0, 10);

/** Every fifth is for the affiliate that most adjustments are for. */
const newPayout = ({ known, random }: Writing): Intent | undefined => {
  const isBusy = random.is(0.2);
  const affiliate = isBusy ? known.busiest : random.pick(known.affiliates);
  return (
    affiliate && {
      what: 'payout.create',
      method: 'POST',
      path: '/v1/payouts',
      body: {
        affiliate_id: affiliate.id,
        currency: isBusy ? 'USD' : random.pick(currencies),
        even_if_not_approved: random.is(0.8),
        ignore_minimum: random.is(0.3),
        ...(random.is(0.2) && { until: drawPastDay(random) }),
      },
      key: known.name('key'),
    }
  );
};

const createAtOnce = async (writing: Writing, intents: readonly Intent[]) => {
  const outcomes = await Promise.all(intents.map((intent) => create(writing, intent)));
  return outcomes[0];
};

/** Requests a payout, sometimes five times at the same time with one key. */
export const createPayout: WriteAction = async (writing) => {
  const intent = newPayout(writing);
  const times = writing.random.is(0.3) ? 5 : 1;
  return intent && createAtOnce(writing, Array<Intent>(times).fill(intent));
};

/** Requests two payouts at the same time with one key: at most one of them may be made. */
export const createPayoutsWithOneKey: WriteAction = async (writing) => {
  const [one, other] = [newPayout(writing), newPayout(writing)];
  return one && other && createAtOnce(writing, [one, { ...other, key: one.key ?? '' }]);
};

/** Changes the status of a payout. Many payouts can no longer get the status that is drawn. */
export const changePayout: WriteAction = async (writing) => {
  const { client, known, random } = writing;
  const payout = random.is(0.3) ? await payoutOfRun(writing) : random.pick(known.payouts);
  return payout && (await client.send(changeOf(payout, random))).outcome;
};

/** Completes a payout and then reports that its money came back. */
export const returnPayout: WriteAction = async ({ client, known, random }) => {
  const payout = random.pick(known.payouts);
  if (payout === undefined) return undefined;
  let last: Outcome | undefined;
  for (const status of ['completed', 'failed'] as const) {
    last = (await client.send(changeOf(payout, random, status))).outcome;
    if (last.report === 'unknown') break;
  }
  return last;
};

type Change = 'processing' | 'completed' | 'failed' | 'canceled' | 'reference';

const drawChange = (random: Random): Change =>
  random.weighted({ processing: 2, completed: 6, failed: 2, canceled: 2, reference: 1 });

const changeOf = ({ id }: Payout, random: Random, change: Change = drawChange(random)): Intent => ({
  what: 'payout.update',
  method: 'PATCH',
  path: `/v1/payouts/${id}`,
  body:
    change === 'reference'
      ? { reference: `bank ${random.intBelow(1_000)}` }
      : { status: change, ...(change === 'failed' && { reason: 'the account is closed' }) },
});

/** One of the payouts that a run has made so far. Undefined if the service does not respond. */
const payoutOfRun = async ({ client, known, random }: Writing): Promise<Payout | undefined> => {
  const run = random.pick(known.runs);
  if (run === undefined) return undefined;
  const response = await client
    .get<Page<Payout>>(`/v1/payouts?run_id=${run.id}&limit=20`)
    .catch(() => undefined);
  return response?.status === 200 ? random.pick(response.body.data) : undefined;
};
