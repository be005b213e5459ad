import type { ClaimedDelivery } from '@refledger/delivery-store';

/** Room for one delivery that is being planned. */
export interface Reservation {
  /** Uses the room for this delivery, which is stored as `sending`. */
  use(delivery: ClaimedDelivery): void;
  release(): void;
}
