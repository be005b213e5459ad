/** What one comparison counted, and where it found the service and the ledger apart, in words. */
export interface Comparison {
  readonly claim: string;
  readonly figures: Readonly<Record<string, number>>;
  readonly differences: readonly string[];
}
