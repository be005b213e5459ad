import { toInstant } from '@refledger/contracts';
import type { Clock } from '../clock.js';
import type { Lease } from '../stores/delivery-store.js';

export interface LeaseTermsOptions {
  readonly holder: string;
  readonly leaseMs: number;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The terms on which this dispatcher claims deliveries: its holder name and the duration of a
 * lease.
 */
export class LeaseTerms {
  constructor(private readonly options: LeaseTermsOptions) {}

  /** A lease that begins now. */
  newLease(): Lease {
    const { holder, leaseMs, clock } = this.options;
    const now = clock.now();
    return { holder, now: toInstant(now), leaseUntil: toInstant(now + leaseMs) };
  }
}
