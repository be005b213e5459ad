export interface Affiliate {
  readonly name: string;
  readonly email: string;
  readonly program: string;
  /** The currency that the program's shop sells in. */
  readonly currency: Currency;
  /** This affiliate's share of the shop's orders, relative to the others' weights. */
  readonly weight: number;
}
export type Currency = (typeof currencies)[number];

export const currencies = ['USD', 'EUR', 'JPY'] as const;

/**
 * The affiliates who bring customers to Copper Kettle, a shop with one program for each of its
 * three sites.
 */
export const affiliates: readonly Affiliate[] = [
  {
    name: 'Ada Okafor',
    email: 'ada@example.com',
    program: 'prog_kettle_us',
    currency: 'USD',
    weight: 6,
  },
  {
    name: 'Ben Carter',
    email: 'ben@example.com',
    program: 'prog_kettle_us',
    currency: 'USD',
    weight: 3,
  },
  {
    name: 'Mara Silva',
    email: 'mara@example.com',
    program: 'prog_kettle_us',
    currency: 'USD',
    weight: 3,
  },
  {
    name: 'Lena Martin',
    email: 'lena@example.com',
    program: 'prog_kettle_eu',
    currency: 'EUR',
    weight: 4,
  },
  {
    name: 'Jonas Weber',
    email: 'jonas@example.com',
    program: 'prog_kettle_eu',
    currency: 'EUR',
    weight: 2,
  },
  {
    name: 'Yuki Tanaka',
    email: 'yuki@example.com',
    program: 'prog_kettle_jp',
    currency: 'JPY',
    weight: 3,
  },
];

/** Suspended at noon. The links still exist, so orders keep coming. */
export const suspendedAtNoon = 'Mara Silva';
