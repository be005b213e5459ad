import type { Affiliate, Conversion } from '@refledger/testing';
import type { Intent } from '../ledger.js';

/** A create that may be sent again. */
export interface Repeatable {
  readonly n: number;
  readonly intent: Intent;
}

/** What the writers know of: what was acknowledged to them, and what they must ask again about. */
export class Known {
  readonly conversions: Conversion[] = [];
  readonly affiliates: Affiliate[] = [];
  /** Creates that were acknowledged. */
  readonly creates: Repeatable[] = [];
  /** Creates of unknown outcome, to be sent again. */
  readonly unsettled: Repeatable[] = [];
  private names = 0;

  /** A name that was not given before in this run. */
  name(kind: string): string {
    return `${kind}-${++this.names}`;
  }

  forget(affiliate: Affiliate): void {
    const place = this.affiliates.indexOf(affiliate);
    if (place >= 0) this.affiliates.splice(place, 1);
  }
}
