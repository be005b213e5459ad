/** What both kinds of terms have. Amounts are in minor units, by currency (ISO 4217, upper case). */
interface CommonTerms {
  /** The most that one conversion earns. A currency that is not named has no cap. */
  readonly caps?: Readonly<Record<string, number>>;
  /** Which sales of one customer earn. */
  readonly recurring: 'every' | 'first' | { readonly months: number };
  /** How many days after the sale its commission is payable. */
  readonly hold_days: number;
}

/** What a program pays for a conversion, as it is stored: with every default filled in. */
export type Terms =
  | (CommonTerms & {
      readonly type: 'percentage';
      /** Basis points: 2,000 is 20 %. */
      readonly rate_bps: number;
    })
  | (CommonTerms & {
      readonly type: 'flat';
      readonly amounts: Readonly<Record<string, number>>;
    });

type WithOptionalHold<T> = T extends Terms
  ? Omit<T, 'hold_days'> & { readonly hold_days: number | null }
  : never;

/** An affiliate's own terms, which override the program's. Null hold days are the program's. */
export type AffiliateTerms = WithOptionalHold<Terms>;
