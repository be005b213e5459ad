import type { Clock } from '@refledger/webhook-endpoints';
import type { Claims } from './claims.js';

export interface LeaseRenewalOptions {
  readonly claims: Pick<Claims, 'renew'>;
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Renews the lease of this dispatcher's claims three times per lease. It has a timer of its own, so
 * that neither a poll nor an earlier renewal that hangs in a call to the store delays it. If the
 * store is too slow for that, no more than two renewals run at a time.
 */
export class LeaseRenewal {
  private clearNext: (() => void) | undefined;
  /** Renewals that the store has not answered yet. */
  private pending = 0;

  constructor(private readonly options: LeaseRenewalOptions) {}

  begin(): void {
    const { clock, leaseMs, logRetry } = this.options;
    this.clearNext = clock.after(leaseMs / 3, () => {
      if (this.pending < maxPending)
        this.renew().catch((error: unknown) => logRetry('renewing the lease', error));
      this.begin();
    });
  }

  halt(): void {
    this.clearNext?.();
  }

  private async renew(): Promise<void> {
    this.pending++;
    await this.options.claims.renew().finally(() => this.pending--);
  }
}

const maxPending = 2;
