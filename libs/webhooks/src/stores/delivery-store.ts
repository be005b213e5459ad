import type { DeliveryId, EndpointId, Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import type { DeliveryPage, DeliveryQuery } from './delivery-query.js';
import type { Attempt, Delivery, DeliveryStatus } from './delivery.js';
import type { Tokens } from './token-bucket.js';

/**
 * The port for storing deliveries and their attempts: one object, of which each part of the
 * dispatcher knows only the interface that it needs. Every method resolves once its change is
 * durable, or rejects with a `DeliveryStoreError`. Several dispatchers may share one store: others
 * may take over a delivery that is sending once the lease of its claim and that of its holder have
 * both run out.
 */
export interface DeliveryStore extends PlannerStore, SchedulerStore, OperatorStore, DeliveryReader {
  /** Created with the store: a different id means a different store. */
  readonly id: string;
  close(): Promise<void>;
}

/**
 * The store can't be used now (`unavailable`), or can't be used as it is (`unusable`: corrupt,
 * foreign or not writable).
 */
export class DeliveryStoreError extends Error {
  constructor(
    readonly kind: 'unavailable' | 'unusable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DeliveryStoreError';
  }
}

/** A delivery as the planner makes it. */
export type PlannedDelivery = Pick<
  Delivery,
  | 'id'
  | 'accountId'
  | 'endpointId'
  | 'eventId'
  | 'eventType'
  | 'objectId'
  | 'trigger'
  | 'position'
  | 'decidedAt'
  | 'body'
> & {
  /** `sending`: the endpoint's limit lets it go at once. */
  readonly status: 'sending' | 'waiting';
};

/** The deliveries of a batch, and how far planning has got with it. */
export interface Plan {
  readonly deliveries: readonly PlannedDelivery[];
  /** The offset of the batch, stored together with the deliveries. It only rises. */
  readonly offset: Offset;
  /**
   * The last position planned, whichever bus it came from. It only rises; nothing at or below it is
   * planned again.
   */
  readonly floor: Position | undefined;
}

/** What the planner needs from a delivery store. */
export interface PlannerStore {
  offset(partition: string): Promise<Offset | undefined>;
  offsets(): Promise<readonly Offset[]>;
  /** The floor: nothing at or below it is planned again. */
  floor(): Promise<Position | undefined>;
  /**
   * Stores the deliveries that are new, the offset and the floor. Planning the same batch again is
   * safe. Resolves to the ids of the deliveries that this call inserted: the caller may send only
   * those. Throws `ForeignOffset` when the stored offset of this partition has another source.
   */
  plan(plan: Plan, lease: Lease): Promise<readonly DeliveryId[]>;
}

/**
 * A plan's offset is from a different source than the stored offset of that partition. Only
 * `resetOffsets` may change the source.
 */
export class ForeignOffset extends Error {
  constructor(
    readonly offset: Offset,
    readonly stored: Offset,
  ) {
    super(
      `the store's offset in ${stored.partition} belongs to ${stored.source}, but the plan's belongs to ${offset.source}`,
    );
    this.name = 'ForeignOffset';
  }
}

/**
 * A dispatcher's right for a limited time: of a claim to its deliveries, or, once renewed, to all
 * that it has claimed.
 */
export interface Lease {
  /** The dispatcher. */
  readonly holder: string;
  readonly leaseUntil: string;
  readonly now: string;
}

/** The outcome of an attempt, and what becomes of its delivery. */
export interface AttemptResult {
  readonly deliveryId: DeliveryId;
  /** The number of the attempt. */
  readonly number: number;
  readonly endedAt: string;
  /**
   * The attempt; null when it ended before anything was sent. The delivery then has it no longer.
   */
  readonly attempt: Attempt | null;
  /** How many attempts of the delivery have failed, including this one. */
  readonly failures: number;
  readonly next:
    | { readonly status: 'succeeded' }
    | { readonly status: 'waiting'; readonly dueAt: string }
    | { readonly status: 'failed' | 'canceled'; readonly reason: string };
}

/** Which waiting deliveries of an endpoint are canceled, and why. */
export interface Cancellation {
  /**
   * Only deliveries decided below this position. The others were decided with a later version of the
   * endpoint, which the caller may not know yet.
   */
  readonly decidedBelow: Position;
  readonly reason: string;
  readonly now: string;
}

/** What the scheduler needs from a delivery store: work to do, and where its outcome goes. */
export interface SchedulerStore {
  /**
   * Claims up to `limit` due deliveries of this endpoint, earliest due first, and stores the next
   * attempt of each as begun.
   */
  claim(endpoint: EndpointId, limit: number, lease: Lease): Promise<readonly Delivery[]>;
  /** The endpoints with deliveries due by `now`. */
  endpointsDue(now: string): Promise<readonly EndpointId[]>;
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
   * Gives back deliveries that this holder claimed but did not send. They are due at once, as if
   * they had not been claimed (but an attempt or a response that the claim dropped stays dropped).
   */
  release(deliveries: readonly DeliveryId[], lease: Pick<Lease, 'holder' | 'now'>): Promise<void>;
  /**
   * Recovers lost deliveries: their open attempts become `unknown`, and they are due at once. Lost
   * is a delivery whose claim's lease has run out, unless its holder's has not or, if it is the
   * caller's, the caller is sending it. Resolves to the number recovered.
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
   * Cancels waiting deliveries of an endpoint; open attempts end by themselves. Resolves to the
   * number canceled.
   */
  cancel(endpoint: EndpointId, cancellation: Cancellation): Promise<number>;
  /**
   * Removes at most `limit` deliveries that ended before this instant, and what is left of rates that
   * were last used before it. Resolves to the number of deliveries removed.
   */
  expire(before: string, limit: number): Promise<number>;
}

/** A delivery that has not ended, and its event. */
export type UnfinishedDelivery = Pick<Delivery, 'id' | 'eventId' | 'position'>;

/** What operators need from a delivery store, to inspect deliveries and to decide about them. */
export interface OperatorStore {
  /** Sets offsets and floor as an operator decided (`ops resume`); may also lower them. */
  resetOffsets(offsets: readonly Offset[], floor: Position | undefined): Promise<void>;
  /**
   * All deliveries of an endpoint that have not ended: waiting, however far ahead, or sending,
   * whoever holds them.
   */
  unfinished(endpoint: EndpointId): Promise<readonly UnfinishedDelivery[]>;
  /**
   * Cancels the given deliveries that have not ended. Their open attempts become `unknown`,
   * and later writes of their holders have no effect. Resolves to the number canceled.
   */
  cancelUnfinished(deliveries: readonly DeliveryId[], reason: string, now: string): Promise<number>;

  /** Deliveries of an endpoint, newest first, starting after the given id. */
  list(query: {
    readonly endpointId: EndpointId;
    readonly limit: number;
    readonly after?: DeliveryId;
  }): Promise<readonly Delivery[]>;
  /** The endpoints that have deliveries, ordered by id. */
  endpoints(): Promise<readonly EndpointId[]>;
  /** The number of deliveries per status, of one endpoint or of all. */
  counts(endpoint?: EndpointId): Promise<Readonly<Record<DeliveryStatus, number>>>;
}

/** What the API shows of a delivery store. */
export interface DeliveryReader {
  get(id: DeliveryId): Promise<Delivery | undefined>;
  /** One page of a list. */
  find(query: DeliveryQuery): Promise<DeliveryPage>;
}

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
  /** How many attempts right before this one had an unknown outcome. */
  readonly unknownBefore: number;
}
