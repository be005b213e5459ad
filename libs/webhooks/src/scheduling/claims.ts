import {
  laterOf,
  type Attempt,
  type DeliveryId,
  type EndpointId,
  type Position,
} from '@refledger/contracts';
import type { EndpointDirectory, Clock } from '@refledger/webhook-endpoints';
import type { EndpointTracker } from '../endpoint-tracker.js';
import { sealedBodies, type SealedBodiesParts } from './sealed-bodies.js';
import {
  claimableStatus,
  type ClaimableFrom,
  type ClaimedDelivery,
  type SchedulerStore,
  type Lease,
  type Delivery,
} from '@refledger/delivery-store';

export interface ClaimsOptions extends SealedBodiesParts {
  readonly store: Pick<SchedulerStore, 'claim' | 'claimTests' | 'keepBodies' | 'release' | 'renew'>;
  readonly directory: Pick<EndpointDirectory, 'followTo'>;
  readonly tracker: Pick<EndpointTracker, 'recheck'>;
  readonly newLease: () => Lease;
  readonly leaseMs: number;
  readonly clock: Pick<Clock, 'schedule'>;
  readonly logRetry: (what: string, error: unknown) => void;
}

/** Deliveries that were claimed. */
export interface ClaimResult {
  readonly claimed: readonly ClaimedDelivery[];
  /** Whether there were no more of them. */
  readonly isAll: boolean;
}

/**
 * All deliveries that this dispatcher has claimed: prefetched, in flight, or with an outcome that
 * is not written yet. Their lease is renewed three times per lease. The renewal has a timer of its
 * own, so that neither a poll nor an earlier renewal that hangs in a call to the store delays it.
 */
export class Claims {
  private readonly claimed = new Set<DeliveryId>();
  private readonly idle = new Set<() => void>();
  /** Claims and releases that are being written. */
  private writing = 0;
  private clearRenewal: (() => void) | undefined;
  /** Renewals that the store has not answered yet. */
  private renewals = 0;

  constructor(private readonly options: ClaimsOptions) {}

  /** Begins to renew the lease of everything claimed. */
  begin(): void {
    const { clock, leaseMs } = this.options;
    this.clearRenewal = clock.schedule(leaseMs / 3, () => {
      if (this.renewals < maxRenewals && this.claimed.size > 0) void this.renew();
      this.begin();
    });
  }

  /** Renews no more leases. */
  halt(): void {
    this.clearRenewal?.();
  }

  get ids(): readonly DeliveryId[] {
    return [...this.claimed];
  }

  /**
   * Claims up to `limit` deliveries of an endpoint. Another dispatcher may have planned them with a
   * version of the endpoint that this one does not know yet, so the endpoints are followed to where
   * they were decided. Missing bodies are made. Rejects when one of these fails; the deliveries are
   * then released.
   */
  claim(endpoint: EndpointId, limit: number, from: ClaimableFrom): Promise<ClaimResult> {
    return this.written(async () => {
      const { store, newLease } = this.options;
      const deliveries = await store.claim(endpoint, limit, newLease(), from);
      for (const { id } of deliveries) this.add(id);
      try {
        await this.followTo(deliveries);
        const sendable = await this.withBodies(deliveries);
        return { claimed: sendable.map(claimedOf), isAll: deliveries.length < limit };
      } catch (error) {
        await this.release(deliveries, from);
        throw error;
      }
    });
  }

  /**
   * Claims the waiting tests of an endpoint. Rejects when that fails, or when the endpoints can't
   * be followed: tests that were claimed then fail once the lease has run out.
   */
  claimTests(endpoint: EndpointId): Promise<readonly ClaimedDelivery[]> {
    return this.written(async () => {
      const { store, newLease } = this.options;
      const tests = await store.claimTests(endpoint, newLease());
      await this.followTo(tests);
      for (const { id } of tests) this.add(id);
      return tests.map(claimedOf);
    });
  }

  add(delivery: DeliveryId): void {
    this.claimed.add(delivery);
  }

  /** Forgets a delivery whose outcome is recorded. */
  end(delivery: DeliveryId): void {
    this.claimed.delete(delivery);
    this.resolveIdle();
  }

  /**
   * Releases deliveries that were claimed but not sent. If that fails, they are recovered. Changes
   * of their endpoints since the claim reach them only now.
   */
  async release(
    deliveries: readonly Pick<ClaimedDelivery, 'id' | 'endpointId' | 'trigger' | 'decidedAt'>[],
    from: ClaimableFrom = 'waiting',
  ): Promise<void> {
    const { store, tracker, newLease, logRetry } = this.options;
    if (deliveries.length === 0) return;
    const ids = deliveries.map(({ id }) => id);
    // forgotten first: they may be claimed again before the release is acknowledged
    for (const id of ids) this.claimed.delete(id);
    await this.written(() =>
      store
        .release(ids, newLease(), from)
        .then(() => tracker.recheck(deliveries, claimableStatus(from)))
        .catch((error: unknown) => logRetry('releasing deliveries', error)),
    );
  }

  /** Resolves once nothing is claimed. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.idle.add(resolve);
      this.resolveIdle();
    });
  }

  /**
   * Claimed deliveries with their bodies, which are stored, sealed, before they are sent. Leaves out
   * those that this dispatcher no longer holds. A delivery stays without a body if its event was
   * skipped, or if its affiliate was erased: its body is made for each attempt. So does one whose
   * personal data does not open now: its attempt is postponed, and the others are sent.
   */
  private async withBodies(deliveries: readonly Delivery[]): Promise<readonly Delivery[]> {
    const { store, newLease } = this.options;
    const all = await sealedBodies(deliveries, this.options);
    if (all.length === 0) return deliveries;
    const kept = new Set(await store.keepBodies(all, newLease().holder));
    const sealed = new Map(all.map(({ id, body }) => [id, body]));
    return deliveries.flatMap((delivery) => {
      const body = sealed.get(delivery.id);
      if (body === undefined) return [delivery];
      if (kept.has(delivery.id)) return [{ ...delivery, body }];
      this.claimed.delete(delivery.id);
      return [];
    });
  }

  /** Never rejects. */
  private async renew(): Promise<void> {
    const { store, newLease, logRetry } = this.options;
    this.renewals++;
    await store.renew(newLease()).catch((error: unknown) => logRetry('renewing the lease', error));
    this.renewals--;
  }

  /** Runs work for which `settled` waits. */
  private async written<T>(work: () => Promise<T>): Promise<T> {
    this.writing++;
    try {
      return await work();
    } finally {
      this.writing--;
      this.resolveIdle();
    }
  }

  /** Follows the endpoints to the last position at which one of these deliveries was decided. */
  private async followTo(deliveries: readonly Delivery[]): Promise<void> {
    const last = deliveries
      .map(({ decidedAt }) => decidedAt)
      .reduce<Position | undefined>(laterOf, undefined);
    if (last !== undefined) await this.options.directory.followTo(last);
  }

  private resolveIdle(): void {
    if (this.claimed.size > 0 || this.writing > 0) return;
    for (const resolve of this.idle) resolve();
    this.idle.clear();
  }
}

/** How many renewals run at a time if the store is too slow for one after another. */
const maxRenewals = 2;

const claimedOf = (delivery: Delivery): ClaimedDelivery => ({
  ...delivery,
  attempt: delivery.attemptCount,
  earlierFailures: delivery.failures,
  unknownBefore: unknownAtEnd(delivery.attempts.slice(0, -1)),
});

/** How many of the last attempts, in a row, have an unknown outcome. */
const unknownAtEnd = (attempts: readonly Attempt[]): number =>
  attempts.length - 1 - attempts.findLastIndex(({ outcome }) => outcome !== 'unknown');
