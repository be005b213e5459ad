/** How much history the service has before the measured requests. */
export interface Growth {
  /**
   * Changes to one conversion, one adjustment, one payout, one affiliate, and its program. The
   * early change that is read comes after about 100 others, and both sizes exceed that.
   */
  readonly changes: number;
  /** Records of the account. */
  readonly conversions: number;
  /**
   * Approved sales of one affiliate that earn something: the entries of its balance. Both sizes
   * fill more than one chapter and half of the last one, since a read may fold a whole chapter.
   */
  readonly sales: number;
  readonly affiliates: number;
  readonly programs: number;
  readonly adjustments: number;
  readonly payouts: number;
  /** Live keys of the account. The requests add a few hundred. */
  readonly keys: number;
  readonly revokedKeys: number;
  /** Endpoints of the account. The requests add a few, and 100 is the limit. */
  readonly endpoints: number;
  /** Changes to one endpoint. */
  readonly versions: number;
  /** Other accounts, each with a key, an endpoint, an affiliate and a conversion. */
  readonly accounts: number;
  /** Pages before the deep page. */
  readonly depth: number;
  /** Metadata pairs, of the maximum length, that the long records had for a number of changes. */
  readonly pairs: number;
}

/** A small history: the cost after `much` is compared with the cost after this one. */
export const little: Growth = {
  changes: 200,
  conversions: 100,
  sales: 1_400,
  affiliates: 100,
  programs: 100,
  adjustments: 100,
  payouts: 100,
  keys: 40,
  revokedKeys: 1,
  endpoints: 40,
  versions: 2,
  accounts: 60,
  depth: 1,
  pairs: 1,
};

/** As far as the limits of the contract go, or far enough that a linear cost shows. */
export const much: Growth = {
  changes: 9_000,
  conversions: 30_000,
  sales: 6_000,
  affiliates: 5_000,
  programs: 5_000,
  adjustments: 5_000,
  payouts: 5_000,
  keys: 700,
  revokedKeys: 5_000,
  endpoints: 90,
  versions: 5_000,
  accounts: 3_000,
  depth: 100,
  pairs: 50,
};
