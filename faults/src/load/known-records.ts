import type { Adjustment, Affiliate, Conversion, Payout, PayoutRun } from '@refledger/testing';
import type { Intent, WrittenRecord } from '../ledger.js';

/** A create that may be sent again. */
export interface Repeatable {
  readonly n: number;
  readonly intent: Intent;
}

/**
 * The records and creates that the writers know of, and the unknown outcomes that they must settle.
 */
export class KnownRecords {
  readonly conversions: Conversion[] = [];
  readonly adjustments: Adjustment[] = [];
  readonly payouts: Payout[] = [];
  readonly runs: PayoutRun[] = [];
  readonly affiliates: Affiliate[] = [];
  /** The affiliate that most adjustments are for, so that its balance has several chapters. */
  busiest: Affiliate | undefined;
  /** Creates that were acknowledged. */
  readonly creates: Repeatable[] = [];
  /** Creates of unknown outcome, to be sent again. */
  readonly unsettled: Repeatable[] = [];
  private names = 0;

  /** Returns a name that has not been used before in this run. */
  name(kind: string): string {
    return `${kind}-${++this.names}`;
  }

  /** Adds a record that the writers may act on. */
  add(record: WrittenRecord): void {
    switch (record.object) {
      case 'conversion':
        return void this.conversions.push(record);
      case 'adjustment':
        return void this.adjustments.push(record);
      case 'payout':
        return void this.payouts.push(record);
      case 'payout_run':
        return void this.runs.push(record);
      case 'affiliate':
        return void this.affiliates.push(record);
      case 'program':
      case 'webhook_endpoint':
      case 'replay':
      case 'delivery':
        return;
    }
  }

  forget(affiliate: Affiliate): void {
    const place = this.affiliates.indexOf(affiliate);
    if (place >= 0) this.affiliates.splice(place, 1);
  }
}
