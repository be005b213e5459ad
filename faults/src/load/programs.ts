import type { SentTerms, Random } from '@refledger/testing';
import type { Writing } from './act.js';

/** A program as it is sent. */
export interface SentProgram {
  readonly id: string;
  readonly name: string;
  readonly terms: SentTerms | null;
  readonly affiliate_approval: 'manual' | 'automatic';
  readonly conversion_approval: 'manual' | 'automatic';
  /** By currency. */
  readonly minimum_payout: Readonly<Record<string, number>>;
}

export const programIds = [
  'prog_percentage',
  'prog_flat',
  'prog_automatic',
  'prog_first',
  'prog_months',
  'prog_without_terms',
] as const;
type ProgramId = (typeof programIds)[number];

export const currencies = ['USD', 'EUR', 'JPY', 'KWD'] as const;

/** Creates the programs that all affiliates of the run belong to. They do not change. */
export const createPrograms = async ({ client, random }: Writing): Promise<void> => {
  for (const id of programIds) {
    const { outcome } = await client.send({
      what: 'program.create',
      method: 'POST',
      path: '/v1/programs',
      body: { ...drawProgram(id, random) },
    });
    if (outcome.report !== 'acknowledged')
      throw new Error(`program ${id} was not created: ${JSON.stringify(outcome)}`);
  }
};

const drawProgram = (id: ProgramId, random: Random): SentProgram => {
  const approval = id === 'prog_automatic' ? 'automatic' : 'manual';
  return {
    id,
    name: id,
    terms: programTerms[id](random),
    affiliate_approval: approval,
    conversion_approval: approval,
    // affiliates that are approved immediately are paid most often
    minimum_payout: id === 'prog_automatic' ? { USD: 50_000, EUR: 50_000 } : {},
  };
};

const percentage = (random: Random): SentTerms => ({
  type: 'percentage',
  rate_bps: random.intBelow(10_001),
});
const flat = (random: Random): SentTerms => ({ type: 'flat', amounts: drawAmounts(random) });
const forMonths = (random: Random) => ({ months: random.intBetween(1, 4) });
const capped = (terms: SentTerms, random: Random): SentTerms => ({
  ...terms,
  caps: drawAmounts(random),
});

/** Every kind of terms occurs, whatever the seed. */
const programTerms: Readonly<Record<ProgramId, (random: Random) => SentTerms | null>> = {
  prog_percentage: (random) => capped(percentage(random), random),
  prog_flat: flat,
  prog_automatic: percentage,
  prog_first: (random) => ({ ...percentage(random), recurring: 'first' }),
  prog_months: (random) => ({ ...percentage(random), recurring: forMonths(random) }),
  prog_without_terms: () => null,
};

/** Draws terms for an affiliate. */
export const drawTerms = (random: Random): SentTerms => {
  const terms = random.is(0.6) ? percentage(random) : flat(random);
  return {
    ...(random.is(0.4) ? capped(terms, random) : terms),
    ...(random.is(0.5) && { recurring: random.is(0.5) ? 'first' : forMonths(random) }),
  };
};

/** An amount in at least one currency. The other currencies may have none. */
const drawAmounts = (random: Random): Readonly<Record<string, number>> => {
  const one = random.pick(currencies);
  const some = currencies.filter((currency) => currency === one || random.is(0.5));
  return Object.fromEntries(some.map((currency) => [currency, random.intBelow(100_000)]));
};
