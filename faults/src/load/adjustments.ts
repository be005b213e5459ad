import type { Random } from '@refledger/testing';
import { sixteenAtATime } from '../sixteen-at-a-time.js';
import type { Intent } from '../ledger.js';
import { create, createAtOnce, type WriteAction, type Writing } from './act.js';
import { currencies } from './programs.js';

/**
 * Bonuses, and fewer deductions, so that most balances can be paid; a few are as large as they may
 * be.
 */
const drawAmount = (random: Random): number => {
  const amount = random.is(0.05)
    ? 999_999_999_999 - random.intBelow(1_000_000)
    : random.intBetween(1, 1_000_000);
  return random.is(0.65) ? amount : -amount;
};

/** A day up to ten months before or after today. */
const drawDay = (random: Random): string =>
  new Date(Date.now() + random.intBetween(-300, 300) * 86_400_000).toISOString().slice(0, 10);

/** Most are for one affiliate in one currency, even after it was deleted. */
const newAdjustment = ({ known, random }: Writing): Intent | undefined => {
  const isBusy = random.is(0.6);
  const affiliate = isBusy ? known.busiest : random.pick(known.affiliates);
  return (
    affiliate && {
      what: 'adjustment.create',
      method: 'POST',
      path: '/v1/adjustments',
      body: {
        affiliate_id: affiliate.id,
        currency: isBusy ? 'USD' : random.pick(currencies),
        amount: drawAmount(random),
        description: `Bonus ${random.intBelow(1_000)}`,
        ...(random.is(0.6) && { payable_on: drawDay(random) }),
      },
    }
  );
};

/** Adds the name by which a repetition is recognized. */
const named = (intent: Intent, { known, random }: Writing): Intent =>
  random.is(0.7)
    ? { ...intent, body: { ...intent.body, external_id: known.name('bonus') } }
    : { ...intent, key: known.name('key') };

export const createAdjustment: WriteAction = async (writing) => {
  const intent = newAdjustment(writing);
  return intent && create(writing, named(intent, writing));
};

/** Sends two requests for one adjustment at the same time. */
export const createAdjustmentTwice: WriteAction = async (writing) => {
  const intent = newAdjustment(writing);
  if (intent === undefined) return undefined;
  const twin = named(intent, writing);
  const [first] = await Promise.all([create(writing, twin), create(writing, twin)]);
  return first;
};

/** Voids an adjustment, or changes its metadata. Many adjustments are already voided. */
export const changeAdjustment: WriteAction = async ({ client, known, random }) => {
  const adjustment = random.pick(known.adjustments);
  if (adjustment === undefined) return undefined;
  const note = `note ${random.intBelow(1_000)}`;
  return (
    await client.send({
      what: 'adjustment.update',
      method: 'PATCH',
      path: `/v1/adjustments/${adjustment.id}`,
      body: random.is(0.7) ? { status: 'voided', reason: note } : { metadata: { note } },
    })
  ).outcome;
};

/**
 * Fills the balance of the busiest affiliate almost to the end of its first chapter, so that the
 * load continues it in the next one.
 */
export const fillChapter = async (writing: Writing, count: number): Promise<void> => {
  await sixteenAtATime(Array(count).keys(), () => createAtOnce(writing, filling(writing)));
};

const filling = ({ known, random }: Writing): Intent => ({
  what: 'adjustment.create',
  method: 'POST',
  path: '/v1/adjustments',
  body: {
    affiliate_id: known.busiest?.id,
    currency: 'USD',
    amount: drawAmount(random),
    description: 'Bonus',
    payable_on: drawDay(random),
    external_id: known.name('bonus'),
  },
});
