import type {
  AccountId,
  DeliveryId,
  EndpointId,
  EventKind,
  Position,
  PublicEventId,
} from '@refledger/contracts';

/**
 * The outcome of one attempt. `unknown`: the process ended after starting the attempt and before
 * recording its outcome, so the request may or may not have been sent. It does not count towards
 * the retry schedule.
 */
export type AttemptOutcome = 'succeeded' | 'failed' | 'unknown' | 'canceled';

/** One HTTP request of a delivery, or one attempt that was canceled before its request. */
export interface Attempt {
  /** From 1. */
  readonly number: number;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly outcome: AttemptOutcome | null;
  /** HTTP status of the response, when there was one. */
  readonly status: number | null;
  /** Why it failed, in words: at most 500 characters, and never the secret. */
  readonly error: string | null;
}

/** An attempt that has just begun. */
export const startedAttempt = (number: number, startedAt: string): Attempt => ({
  number,
  startedAt,
  finishedAt: null,
  outcome: null,
  status: null,
  error: null,
});

/** The status of a delivery; see docs/glossary.md. */
export type DeliveryStatus = 'waiting' | 'sending' | 'succeeded' | 'failed' | 'canceled';

/** One event for one endpoint. Instants are RFC 3339. */
export interface Delivery {
  readonly id: DeliveryId;
  readonly accountId: AccountId;
  readonly endpointId: EndpointId;
  readonly eventId: PublicEventId;
  readonly eventType: EventKind;
  readonly position: Position;
  /**
   * How far the endpoint was followed in the log when this delivery was decided on: to the position
   * of the event. A dispatcher that has followed it less far neither sends nor cancels the delivery.
   */
  readonly decidedAt: Position;
  /** The exact bytes of every attempt. */
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly attempts: readonly Attempt[];
  /** When a waiting delivery may be attempted; null in every other status. */
  readonly dueAt: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** Why the delivery was canceled or failed, in words. */
  readonly reason: string | null;
}
