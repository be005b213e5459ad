/**
 * The figures of one comparison, and the differences between service and ledger in words. Sums of
 * money are in minor units.
 */
export interface Comparison {
  readonly claim: string;
  readonly figures: Readonly<Record<string, number | bigint>>;
  readonly differences: readonly string[];
}
