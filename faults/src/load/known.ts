import type { Affiliate, Conversion } from '@refledger/testing';
import type { Intent } from '../ledger.js';

/** A create that may be sent again. */
export interface Repeatable {
  readonly n: number;
  readonly intent: Intent;
}

/**
 * The records and creates that the writers know of, and the unknown outcomes that they must settle.
 */
export class Known {
  readonly conversions: Conversion[] = [];
  readonly affiliates: Affiliate[] = [];
  /** Creates that were acknowledged. */
  readonly creates: Repeatable[] = [];
  /** Creates of unknown outcome, to be sent again. */
  readonly unsettled: Repeatable[] = [];
  private names = 0;

  /** Returns a name that was not used before in this run. */
  name(kind: string): string {
    return `${kind}-${++this.names}`;
  }

  forget(affiliate: Affiliate): void {
    const place = this.affiliates.indexOf(affiliate);
    if (place >= 0) this.affiliates.splice(place, 1);
  }
}
