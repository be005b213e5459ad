/** A person who refers customers to the shop. */
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

const programs = { USD: 'prog_kettle_us', EUR: 'prog_kettle_eu', JPY: 'prog_kettle_jp' };

/**
 * The affiliates who bring customers to Copper Kettle, a shop with one program for each of its
 * three sites.
 */
export const affiliates: readonly Affiliate[] = (
  [
    ['Ada Okafor', 'USD', 6],
    ['Ben Carter', 'USD', 3],
    ['Mara Silva', 'USD', 3],
    ['Lena Martin', 'EUR', 4],
    ['Jonas Weber', 'EUR', 2],
    ['Yuki Tanaka', 'JPY', 3],
  ] as const
).map(([name, currency, weight]) => ({
  name,
  email: `${name.split(' ')[0]?.toLowerCase()}@example.com`,
  program: programs[currency],
  currency,
  weight,
}));

/** Suspended at noon. The links still exist, so orders keep coming. */
export const suspendedAtNoon = 'Mara Silva';
