import type { PlannedDelivery } from '../stores/delivery-store.js';

/** A delivery that is stored as `sending` with an open attempt, and so may be sent. */
export interface ClaimedDelivery extends Pick<
  PlannedDelivery,
  'id' | 'accountId' | 'endpointId' | 'eventId' | 'eventType' | 'body'
> {
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /**
   * How many earlier attempts are known to have failed, which is its index in the retry schedule.
   */
  readonly earlierFailures: number;
}
