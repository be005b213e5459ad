/** The figures of one comparison, and the differences between service and ledger in words. */
export interface Comparison {
  readonly claim: string;
  readonly figures: Readonly<Record<string, number>>;
  readonly differences: readonly string[];
}
