import type { DeliveryId } from '@refledger/contracts';

/** The `Idempotency-Key` of a request to send a delivery again. */
export interface RedeliveryKey {
  /** Derived from the account and the key. A delivery that the request makes has this id. */
  readonly id: DeliveryId;
  /** The delivery that the request names. */
  readonly original: DeliveryId;
}

/** A key that was used, and the delivery with which the request was answered. */
export interface AnsweredKey extends RedeliveryKey {
  /** The delivery that was made, or the original that was made due. */
  readonly answered: DeliveryId;
}
