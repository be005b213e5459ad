import type { PlannedDelivery } from '../stores/delivery-store.js';

/** A delivery whose attempt is written as started: it may be sent. */
export interface ClaimedDelivery extends Pick<
  PlannedDelivery,
  'id' | 'accountId' | 'endpointId' | 'eventId' | 'eventType' | 'body'
> {
  /** Which attempt this is, from 1. */
  readonly attempt: number;
  /** How many attempts before it have failed, as far as is known: its offset in the retry schedule. */
  readonly earlierFailures: number;
}
