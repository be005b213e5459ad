import type {
  AccountId,
  DeliveryId,
  EndpointId,
  EventKind,
  Position,
  PublicEventId,
} from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';

/**
 * What one HTTP request of a delivery came to. `unknown`: the process ended between taking it up and its outcome, so that
 * it may have been sent or not; it doesn't count towards the retry schedule.
 */
export type AttemptOutcome = 'succeeded' | 'failed' | 'unknown' | 'canceled';

export interface Attempt {
  /** From 1. */
  readonly number: number;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly outcome: AttemptOutcome | null;
  /** HTTP status of the answer, when there was one. */
  readonly status: number | null;
  /** Why it failed, in words; never the secret, at most 500 characters. */
  readonly error: string | null;
}

export type DeliveryStatus = 'waiting' | 'sending' | 'succeeded' | 'failed' | 'canceled';

/** One event for one endpoint. */
export interface Delivery {
  readonly id: DeliveryId;
  readonly accountId: AccountId;
  readonly endpointId: EndpointId;
  readonly eventId: PublicEventId;
  readonly eventType: EventKind;
  readonly position: Position;
  /** The exact bytes of every attempt. */
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly attempts: readonly Attempt[];
  /** When a due delivery may be tried (RFC 3339); null when it is not due. */
  readonly dueAt: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** Why it was canceled or failed, in words. */
  readonly reason: string | null;
}

/** What a delivery is of that has not ended. */
export type UnfinishedDelivery = Pick<Delivery, 'id' | 'eventId' | 'position'>;

export type PlannedDelivery = Pick<
  Delivery,
  'id' | 'accountId' | 'endpointId' | 'eventId' | 'eventType' | 'position' | 'body'
> & {
  /** `started`: its endpoint's limit lets it go at once. */
  readonly status: 'sending' | 'waiting';
};

export interface Plan {
  readonly deliveries: readonly PlannedDelivery[];
  /** Kept together with the deliveries; only rises. */
  readonly offset: Offset;
  /** The last position planned, whatever bus it came from; only rises. Nothing at or below it is planned again. */
  readonly floor: Position | undefined;
}

export interface Lease {
  /** Whose it is; it runs until `leaseUntil`. */
  readonly holder: string;
  readonly leaseUntil: string;
  readonly now: string;
}

/** What to write once an attempt has ended. */
export interface AttemptResult {
  readonly deliveryId: DeliveryId;
  readonly attempt: Attempt;
  readonly next:
    | { readonly status: 'succeeded' }
    | { readonly status: 'waiting'; readonly dueAt: string }
    | { readonly status: 'failed' | 'canceled'; readonly reason: string };
}

/** A plan names an offset of another source than the store's own offset in that partition: only `resetOffsets` changes the source. */
export class ForeignOffset extends Error {
  constructor(
    readonly offset: Offset,
    readonly stored: Offset,
  ) {
    super(
      `the store's offset in ${stored.partition} is of ${stored.source}, the plan's of ${offset.source}`,
    );
    this.name = 'ForeignOffset';
  }
}

/** The store can't be used as it is (corrupt, foreign, not writable), or not now. */
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

/**
 * Where deliveries and their attempts are kept. Every method resolves once its change is durable, or fails with a `DeliveryStoreError`.
 * Several dispatchers may share one: what is started is leased to its holder, and taken over when the lease has run out.
 */
export interface DeliveryStore {
  /** Made with the store: another one means another store. */
  readonly id: string;

  offset(partition: string): Promise<Offset | undefined>;
  offsets(): Promise<readonly Offset[]>;
  /** The floor: nothing at or below it is planned. */
  floor(): Promise<Position | undefined>;
  /** Sets offsets and floor to what an operator decided (`ops resume`), downwards too. */
  resetOffsets(offsets: readonly Offset[], floor: Position | undefined): Promise<void>;

  /**
   * Writes all deliveries, the offset and the floor in one durable step. Answers the ids that this call inserted: only those may be sent by it.
   * Throws `ForeignOffset` when the store's offset in this partition is of another source.
   */
  plan(plan: Plan, lease: Lease): Promise<readonly DeliveryId[]>;
  /** Takes up to `limit` due deliveries of this endpoint, earliest due first; the next attempt of each is written as started with it. */
  claim(endpoint: EndpointId, limit: number, lease: Lease): Promise<readonly Delivery[]>;
  /** Endpoints with deliveries due by `now`, or started with a lease that has run out. */
  endpointsWithWork(now: string): Promise<readonly EndpointId[]>;
  /** When, later than `after`, the next waiting delivery becomes due or the next lease runs out; undefined when nothing does. */
  nextDueAt(after: string): Promise<string | undefined>;
  /** Extends the lease of what this holder has started; what it no longer has stays as it is. */
  renew(deliveries: readonly DeliveryId[], lease: Lease): Promise<void>;
  /** Gives back what this holder has taken and not sent: due at once, as if it had not been taken. */
  release(deliveries: readonly DeliveryId[], lease: Pick<Lease, 'holder' | 'now'>): Promise<void>;
  /** Started deliveries whose lease has run out, and all that the holder `leftBy` left behind at a crash: the open attempt becomes `unknown`, and they are due at once. Answers how many. */
  recover(options: { readonly now: string; readonly leftBy?: string }): Promise<number>;
  /**
   * After the clock was put back: what began to wait at an instant that is still to come waits from `now` on, for as long as it was to, and
   * no lease of whoever it is ends later than a new one. Answers how many wait anew.
   */
  reschedule(lease: Pick<Lease, 'now' | 'leaseUntil'>): Promise<number>;
  /** Writes outcomes; one whose delivery this holder no longer has changes nothing. */
  recordOutcomes(results: readonly AttemptResult[], holder: string): Promise<void>;
  /** Cancels what waits for an endpoint; started attempts end by themselves. Answers how many. */
  cancel(endpoint: EndpointId, reason: string, now: string): Promise<number>;

  /** All of an endpoint that has not ended: due, however far ahead, or started, by whoever. */
  unfinished(endpoint: EndpointId): Promise<readonly UnfinishedDelivery[]>;
  /** Cancels those of these that have not ended. An open attempt becomes `unknown`, and what its holder writes of it changes nothing any more. Answers how many. */
  cancelUnfinished(deliveries: readonly DeliveryId[], reason: string, now: string): Promise<number>;

  get(id: DeliveryId): Promise<Delivery | undefined>;
  /** Deliveries of an endpoint, newest first, after the given id. */
  list(query: {
    readonly endpointId: EndpointId;
    readonly limit: number;
    readonly after?: DeliveryId;
  }): Promise<readonly Delivery[]>;
  /** The endpoints that have deliveries, in the order of their ids. */
  endpoints(): Promise<readonly EndpointId[]>;
  /** How many there are of each status. */
  counts(endpoint?: EndpointId): Promise<Readonly<Record<DeliveryStatus, number>>>;
  /** Removes finished deliveries that ended before this instant, at most `limit`. Answers how many. */
  expire(before: string, limit: number): Promise<number>;

  close(): Promise<void>;
}
