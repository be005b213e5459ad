import type { NewConversions } from './load-plan.js';
import { amountOf } from './requests.js';

/**
 * Counts the accepted sales, and makes new ones under transaction ids that have not been sent yet.
 */
export class Sales {
  private batches = 0;
  private accepted = 0;
  private sum = 0;

  constructor(private readonly affiliateIds: readonly string[]) {}

  next(
    more: Pick<NewConversions, 'nameCustomers' | 'keepResponses' | 'readAfter'> = {},
  ): NewConversions {
    return {
      kind: 'new conversions',
      affiliateIds: this.affiliateIds,
      prefix: `batch-${this.batches++}`,
      ...more,
    };
  }

  /** Notes that the last batch was accepted: `count` sales, which are all that were sent. */
  wereAccepted(count: number): void {
    this.accepted += count;
    for (let n = 0; n < count; n++) this.sum += amountOf(n);
  }

  get count(): number {
    return this.accepted;
  }

  get amount(): number {
    return this.sum;
  }
}
