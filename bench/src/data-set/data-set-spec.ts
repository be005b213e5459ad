import { derivedId, type AffiliateId } from '@refledger/contracts';

/** The same spec makes the same events, except for what is sealed. */
export interface DataSetSpec {
  readonly seed: number;
  readonly conversions: number;
  readonly affiliates: number;
  readonly programs: number;
  /** The commission of every sale, in minor units; none if absent. */
  readonly commission?: number;
}

/** The affiliates of a data set. */
export const affiliatesOf = ({ seed, affiliates }: DataSetSpec): readonly AffiliateId[] =>
  Array.from({ length: affiliates }, (_, n) => affiliateId(seed, n));

export const affiliateId = (seed: number, n: number): AffiliateId =>
  derivedId('affiliate', String(seed), String(n));
