import type { EntryRecord, StoredBucket } from '@refledger/contracts';

/** Entries of one day whose numbers are from `from` to `to`. */
export interface HeldRange {
  readonly payable_on: string;
  readonly from: number;
  readonly to: number;
}

/** Which entries of a balance a payout holds: its lines. */
export class HeldRanges {
  /** By day, each in the order of the numbers. */
  private readonly days: ReadonlyMap<string, readonly HeldRange[]>;

  constructor(buckets: readonly StoredBucket[]) {
    this.days = new Map(
      buckets.map(({ payable_on, ranges }) => [
        payable_on,
        ranges.map(({ from, to }) => ({ payable_on, from, to })).sort((a, b) => a.from - b.from),
      ]),
    );
  }

  get all(): readonly HeldRange[] {
    return [...this.days.values()].flat();
  }

  /** Whether the payout holds an entry of its balance. A payout may have thousands of ranges. */
  holds({ payable_on, number }: Pick<EntryRecord, 'payable_on' | 'number'>): boolean {
    const ranges = this.days.get(payable_on) ?? [];
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.to ?? number) < number) low = middle + 1;
      else high = middle;
    }
    const range = ranges[low];
    return range !== undefined && range.from <= number;
  }
}
