import type {
  AccountId,
  Attempt,
  AttemptOutcome,
  DeliveryId,
  DeliveryStatus,
  DeliveryTrigger,
  EndpointId,
  PublicEventType,
  Payload,
  Position,
  PublicEventId,
  ReplayId,
} from '@refledger/contracts';

/** Whether an attempt with this outcome counts towards the retry schedule. */
export const isFailure = (outcome: AttemptOutcome | null): boolean =>
  outcome !== null && outcome !== 'succeeded' && outcome !== 'unknown';

/** An attempt that has just begun. */
export const startedAttempt = (number: number, startedAt: string): Attempt => ({
  number,
  startedAt,
  finishedAt: null,
  outcome: null,
  status: null,
  error: null,
  address: null,
  retryAfter: null,
  sealedResponse: null,
});

/** Why a test with an unknown outcome has failed: it is not sent again. */
export const lostTest = 'the dispatcher ended while it was sending this test';

/** Why a test that nobody sent in time was canceled. Its caller has stopped waiting. */
export const lateTest = 'no webhook-dispatcher sent this test in time';
export const testIsLateAfterMs = 60_000;

/** How many attempts of a delivery are kept, including the one that has just begun. */
export const keptAttempts = 30;

/**
 * The attempts to keep when another begins: the last 30 including that one, of which only the one
 * before it keeps its response.
 */
export const withStarted = (attempts: readonly Attempt[], started: Attempt): readonly Attempt[] => [
  ...attempts
    .slice(1 - keptAttempts)
    .map((attempt) =>
      attempt.number === started.number - 1 ? attempt : { ...attempt, sealedResponse: null },
    ),
  started,
];

/** One event for one endpoint. Instants are RFC 3339. */
export interface Delivery {
  readonly id: DeliveryId;
  readonly accountId: AccountId;
  readonly endpointId: EndpointId;
  readonly eventId: PublicEventId;
  readonly eventType: PublicEventType;
  /** The id of the event's record. */
  readonly objectId: string;
  readonly trigger: DeliveryTrigger;
  /** The replay that made it; null for every other trigger. */
  readonly replayId: ReplayId | null;
  readonly position: Position;
  /**
   * How far the endpoint was known in the log when this delivery was decided on: to the position of
   * the event; for a redelivery or a test, as far as the gateway knew it; for a delivery of a
   * replay, to the endpoint's last change. A dispatcher that has not read the endpoint's changes up
   * to here must not send, hold or cancel the delivery.
   */
  readonly decidedAt: Position;
  /** What its endpoint wanted of the record: the body is made accordingly. */
  readonly payload: Payload;
  /**
   * The exact bytes of every attempt, sealed if the event is an affiliate's (but not in a test). Null
   * until the first attempt if the delivery was stored without a body, as held ones and those of
   * replays are, null if it was canceled before that, and null if the affiliate had been erased.
   */
  readonly body: string | null;
  readonly status: DeliveryStatus;
  /** The number of attempts begun, which is also the number of the last one. */
  readonly attemptCount: number;
  /** How many attempts failed, which is where the delivery stands in the retry schedule. */
  readonly failures: number;
  /** The last 30 attempts. */
  readonly attempts: readonly Attempt[];
  /**
   * When a waiting delivery may be attempted; null in every other status, for tests, and for a
   * delivery of a replay that waits for its turn.
   */
  readonly dueAt: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** Why the delivery was canceled or failed, in words. */
  readonly reason: string | null;
}

/** A delivery as lists show it. */
export type DeliverySummary = Omit<Delivery, 'attempts' | 'body' | 'payload'>;
