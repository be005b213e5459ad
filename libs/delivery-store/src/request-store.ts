import type { DeliveryId } from '@refledger/contracts';
import type { PlannedDelivery } from './planner-store.js';
import type { RedeliveryKey } from './redelivery-key.js';
import type { ReplayRequests } from './replay-store.js';

export type RequestedDelivery = PlannedDelivery & { readonly status: 'waiting' | 'held' };

/**
 * What the API changes in a delivery store: requested deliveries and replays. `request`
 * and `makeDue` leave a note of the endpoint, for `takeRequested`.
 */
export interface RequestStore extends ReplayRequests {
  /**
   * Stores a delivery, and in the same step its key, unless there is one with its id or the key was
   * used. Resolves to whether it was stored. A test that waits is never due: only `claimTests`
   * claims it.
   */
  request(delivery: RequestedDelivery, now: string, key?: RedeliveryKey): Promise<boolean>;
  /**
   * Makes a delivery that has not ended due now if it waits for a later time, and stores the key in
   * the same step. Without effect if it has ended, or the key was used. Resolves to whether it had
   * an effect.
   */
  makeDue(delivery: DeliveryId, now: string, key?: RedeliveryKey): Promise<boolean>;
  /** Cancels a delivery unless it was claimed. Resolves to whether it was canceled. */
  cancelWaiting(delivery: DeliveryId, reason: string, now: string): Promise<boolean>;
}
