import type { SentTerms } from '@refledger/testing';

/** One of the shop's sites, with its own program. */
export interface Program {
  readonly id: string;
  readonly name: string;
  /** The currency that the site sells in. */
  readonly currency: Currency;
  /** The commission of its affiliates, unless they have terms of their own. */
  readonly terms: SentTerms;
}

/** A person who refers customers to the shop. */
export interface Affiliate {
  readonly name: string;
  readonly email: string;
  readonly program: Program;
  /** The affiliate's own terms, which override the program's; null if there are none. */
  readonly commission: SentTerms | null;
  /** This affiliate's share of the shop's orders, relative to the others' weights. */
  readonly weight: number;
}
export type Currency = (typeof currencies)[number];

export const currencies = ['USD', 'EUR', 'JPY'] as const;

/** The shop pays its affiliates on the day of the sale. */
const paidDaily = { hold_days: 0 };

const us: Program = {
  id: 'prog_kettle_us',
  name: 'Copper Kettle US',
  currency: 'USD',
  terms: { type: 'percentage', rate_bps: 2_000, caps: { USD: 3_000 }, ...paidDaily },
};
const eu: Program = {
  id: 'prog_kettle_eu',
  name: 'Copper Kettle Europe',
  currency: 'EUR',
  terms: { type: 'percentage', rate_bps: 1_250, ...paidDaily },
};
const jp: Program = {
  id: 'prog_kettle_jp',
  name: 'Copper Kettle Japan',
  currency: 'JPY',
  terms: { type: 'flat', amounts: { JPY: 1_500 }, ...paidDaily },
};

/** The programs of Copper Kettle, a shop with one for each of its three sites. */
export const programs: readonly Program[] = [us, eu, jp];

const quarter: SentTerms = { type: 'percentage', rate_bps: 2_500, ...paidDaily };

/**
 * The affiliates who bring customers to the shop. Ada brings so many that she gets a commission of
 * 25%.
 */
export const affiliates: readonly Affiliate[] = (
  [
    ['Ada Okafor', us, 6, quarter],
    ['Ben Carter', us, 3, null],
    ['Mara Silva', us, 3, null],
    ['Lena Martin', eu, 4, null],
    ['Jonas Weber', eu, 2, null],
    ['Yuki Tanaka', jp, 3, null],
  ] as const
).map(([name, program, weight, commission]) => ({
  name,
  email: `${name.split(' ')[0]?.toLowerCase()}@example.com`,
  program,
  commission,
  weight,
}));

/** Suspended at noon. The links still exist, so orders keep coming. */
export const suspendedAtNoon = 'Mara Silva';
