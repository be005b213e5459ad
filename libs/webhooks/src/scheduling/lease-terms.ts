import { toInstant } from '@refledger/contracts';
import type { Clock } from '../clock.js';
import type { Lease } from '../stores/delivery-store.js';

export interface LeaseTermsOptions {
  readonly holder: string;
  readonly leaseMs: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** For whom and for how long deliveries are claimed. */
export class LeaseTerms {
  constructor(private readonly options: LeaseTermsOptions) {}

  /** A lease from now on. */
  newLease(): Lease {
    const { holder, leaseMs, clock } = this.options;
    const now = clock.now();
    return { holder, now: toInstant(now), leaseUntil: toInstant(now + leaseMs) };
  }
}
