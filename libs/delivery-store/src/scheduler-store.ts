import type { AccountId, Attempt, DeliveryId, EndpointId, Position } from '@refledger/contracts';
import type { Delivery } from './delivery.js';
import type { Lease } from './lease.js';
import type { PlannedDelivery } from './planner-store.js';
import type { Tokens } from './token-bucket.js';

/** The outcome of an attempt, and what becomes of its delivery. */
export interface AttemptResult {
  readonly deliveryId: DeliveryId;
  /** The number of the attempt. */
  readonly number: number;
  readonly endedAt: string;
  /**
   * The attempt; null when it ended before anything was sent. The attempt is then removed from the
   * delivery.
   */
  readonly attempt: Attempt | null;
  /** How many attempts of the delivery have failed, including this one. */
  readonly failures: number;
  readonly next:
    | { readonly status: 'succeeded' }
    | { readonly status: 'waiting'; readonly dueAt: string }
    | { readonly status: 'held' }
    | { readonly status: 'failed' | 'canceled'; readonly reason: string };
}

/** Which waiting or held deliveries of an endpoint are canceled, and why. */
export interface Cancellation {
  /**
   * Only deliveries decided below this position. The others were decided with a later version of
   * the endpoint, which the caller may not know yet.
   */
  readonly decidedBelow: Position;
  /** Only deliveries with this trigger. Undefined: all. */
  readonly trigger?: 'event' | undefined;
  readonly reason: string;
  readonly now: string;
}

/**
 * What a delivery is before it is claimed, and again once it is released: due, held, or one of a
 * replay that waits for its turn.
 */
export type ClaimableFrom = 'waiting' | 'held' | 'replay';

/** The status of a delivery that can be claimed. */
export const claimableStatus = (from: ClaimableFrom): 'waiting' | 'held' =>
  from === 'held' ? 'held' : 'waiting';

/** A delivery that had no body, and the one that it is sent with. */
export interface MadeBody {
  readonly id: DeliveryId;
  readonly body: string;
}

/**
 * Held deliveries that are not kept any longer: those of an endpoint that were created before an
 * instant, or the oldest ones of an endpoint or an account.
 */
export type SweptDeliveries =
  | { readonly endpointId: EndpointId; readonly createdBefore?: string }
  | { readonly accountId: AccountId };

/** What the scheduler needs from a delivery store: work to do, and where its outcome goes. */
export interface SchedulerStore {
  /**
   * Claims up to `limit` deliveries of this endpoint, and stores the next attempt of each as begun.
   * Default: those that are due, earliest due first. Held ones, and those of replays, are claimed
   * in the order of their positions.
   */
  claim(
    endpoint: EndpointId,
    limit: number,
    lease: Lease,
    from?: ClaimableFrom,
  ): Promise<readonly Delivery[]>;
  /** Claims the waiting tests of this endpoint, and stores their attempts as begun. */
  claimTests(endpoint: EndpointId, lease: Lease): Promise<readonly Delivery[]>;
  /**
   * Stores bodies of deliveries that this holder has claimed and that have none. Resolves to the
   * ids of those; for the others, another dispatcher may have sent a different body.
   */
  keepBodies(bodies: readonly MadeBody[], holder: string): Promise<readonly DeliveryId[]>;
  /**
   * The endpoints for which deliveries were requested since the last call, whichever
   * dispatcher made it.
   */
  takeRequested(): Promise<readonly EndpointId[]>;
  /** The endpoints with deliveries due by `now`. */
  endpointsDue(now: string): Promise<readonly EndpointId[]>;
  /** The endpoints with held deliveries. */
  endpointsHeld(): Promise<readonly EndpointId[]>;
  /** The endpoints with deliveries that have not ended. */
  endpointsUnfinished(): Promise<readonly EndpointId[]>;
  /**
   * The next instant after `after` at which a waiting delivery becomes due; undefined when there is
   * none.
   */
  nextDueAt(after: string): Promise<string | undefined>;
  /**
   * Extends the lease of this holder, and with it those of all its claims. One write, however many
   * deliveries it holds. A renewal that arrives after a later one changes nothing.
   */
  renew(lease: Lease): Promise<void>;
  /**
   * Releases deliveries that this holder claimed but did not send. Each goes back to where it was
   * claimed from: due at once, held, or waiting for its turn. It is as if they had not been claimed
   * (but an attempt or a response that the claim dropped stays dropped).
   */
  release(
    deliveries: readonly DeliveryId[],
    lease: Pick<Lease, 'holder' | 'now'>,
    from: ClaimableFrom,
  ): Promise<void>;
  /**
   * Recovers lost deliveries: their open attempts become `unknown`, and they are due at once; tests
   * fail. A delivery is lost once its claim's lease has run out and, if it is the caller's, the
   * caller is not sending it; otherwise once its holder's lease has run out, too. Also cancels
   * tests that have waited for a minute, since nothing else claims them. Resolves to the number
   * recovered.
   */
  recover(caller: {
    readonly holder: string;
    readonly sending: readonly DeliveryId[];
    readonly now: string;
  }): Promise<number>;
  /**
   * Recovers all deliveries of a holder that no longer exists, whatever the leases. Resolves to the
   * number recovered.
   */
  recoverLeftBy(holder: string, now: string): Promise<number>;
  /**
   * Corrects instants after the clock was put back. Deliveries that began to wait after `now` wait
   * from `now` on, for the same duration. No lease, whoever holds it, ends after `leaseUntil`.
   * Resolves to the number of deliveries rescheduled.
   */
  reschedule(lease: Pick<Lease, 'now' | 'leaseUntil'>): Promise<number>;
  /**
   * Takes all tokens of an endpoint's rate: each lets one request begin. The time is the store's.
   */
  takeTokens(endpoint: EndpointId, perSecond: number): Promise<Tokens>;
  /** Records outcomes; ignores those of deliveries that this holder no longer holds. */
  recordOutcomes(results: readonly AttemptResult[], holder: string): Promise<void>;
  /**
   * Holds the waiting deliveries of an endpoint that were decided below a position, except tests;
   * open attempts end by themselves. Resolves to the number held.
   */
  hold(endpoint: EndpointId, decidedBelow: Position): Promise<number>;
  /** Lets held deliveries of replays to an endpoint wait for their turn again, after all others. */
  unholdReplays(endpoint: EndpointId): Promise<void>;
  /**
   * Holds an endpoint's deliveries that wait for a retry after `now`. Those of replays wait for
   * their turn again instead. Resolves to the number held.
   */
  holdRetries(endpoint: EndpointId, now: string): Promise<number>;
  /**
   * Cancels waiting or held deliveries of an endpoint; open attempts end by themselves.
   * Resolves to the number canceled.
   */
  cancel(endpoint: EndpointId, cancellation: Cancellation): Promise<number>;
  /**
   * Removes at most `limit` deliveries that ended before this instant, and what is left of rates
   * that were last used before it. Resolves to the number of deliveries removed.
   */
  expire(before: string, limit: number): Promise<number>;
  /** Cancels at most `limit` held deliveries, oldest first. Resolves to the number canceled. */
  sweep(
    deliveries: SweptDeliveries,
    how: { readonly reason: string; readonly now: string; readonly limit: number },
  ): Promise<number>;
  /**
   * Removes at most `limit` deliveries that `sweep` canceled before this instant. Resolves to the
   * number removed.
   */
  removeSwept(before: string, limit: number): Promise<number>;
}

/** A delivery that is stored as `sending` with an open attempt, and so may be sent. */
export interface ClaimedDelivery extends Pick<
  PlannedDelivery,
  | 'id'
  | 'accountId'
  | 'endpointId'
  | 'eventId'
  | 'eventType'
  | 'objectId'
  | 'trigger'
  | 'position'
  | 'decidedAt'
  | 'payload'
  | 'body'
> {
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /**
   * How many earlier attempts are known to have failed, which is its index in the retry schedule.
   */
  readonly earlierFailures: number;
  /** How many attempts right before this one had an unknown outcome. */
  readonly unknownBefore: number;
}
