import type { DeliveryId } from '@refledger/contracts';
import type { PlannedDelivery } from './planner-store.js';
import type { ReplayRequests } from './replay-store.js';

/** A requested delivery. */
export type RequestedDelivery = PlannedDelivery & { readonly status: 'waiting' | 'held' };

/**
 * What the API changes in a delivery store: requested deliveries and replays. `request`
 * and `makeDue` leave a note of the endpoint, for `takeRequested`.
 */
export interface RequestStore extends ReplayRequests {
  /**
   * Stores a delivery unless there is one with its id. Resolves to whether there was none. A
   * test that waits is never due: only `claimTests` claims it.
   */
  request(delivery: RequestedDelivery, now: string): Promise<boolean>;
  /** Makes a delivery due at once if it waits for a later time. */
  makeDue(delivery: DeliveryId, now: string): Promise<void>;
  /** Cancels a delivery unless it was claimed. Resolves to whether it was canceled. */
  cancelWaiting(delivery: DeliveryId, reason: string, now: string): Promise<boolean>;
}
