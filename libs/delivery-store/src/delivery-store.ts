import type { DeliveryId, DeliveryStatus, EndpointId, Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import type { DeliveryPage, DeliveryQuery } from './delivery-query.js';
import type { Delivery } from './delivery.js';
import type { HealthStore } from './health-store.js';
import type { PlannerStore } from './planner-store.js';
import type { AnsweredKey } from './redelivery-key.js';
import type { ReplayReader, ReplayStore } from './replay-store.js';
import type { RequestStore } from './request-store.js';
import type { SchedulerStore } from './scheduler-store.js';
import type { StatisticsReader, StatisticsStore } from './statistics-store.js';

/** Which deliveries were removed, and so may be missing. */
interface RemovedDeliveries {
  /** Those that ended before this instant (RFC 3339). Undefined: none. */
  readonly endedBefore: string | undefined;
  /** Per endpoint, the position of the last event whose held delivery a sweep removed. */
  readonly heldThrough: ReadonlyMap<EndpointId, Position>;
}

/** What an audit reads of a delivery store, to compare it with the log. */
export interface AuditReader {
  /** The floor: everything at or below it is planned. */
  floor(): Promise<Position | undefined>;
  /** The statuses of these deliveries, for those that are in the store. */
  statuses(deliveries: readonly DeliveryId[]): Promise<ReadonlyMap<DeliveryId, DeliveryStatus>>;
  removed(): Promise<RemovedDeliveries>;
}

/**
 * The port for storing deliveries and their attempts: one object, of which each part of the
 * dispatcher knows only the interface that it needs. Every method resolves once its change is
 * durable, or rejects with a `DeliveryStoreError`. Several dispatchers may share one store: others
 * may take over a delivery that is sending once the lease of its claim and that of its holder have
 * both run out.
 */
export interface DeliveryStore
  extends
    PlannerStore,
    SchedulerStore,
    HealthStore,
    RequestStore,
    ReplayStore,
    OperatorStore,
    DeliveryReader,
    AuditReader,
    StatisticsStore {
  /** Created with the store: a different id means a different store. */
  readonly id: string;
  close(): Promise<void>;
}

/**
 * The store can't be used now (`unavailable`), can't be used as it is (`unusable`: foreign, from a
 * newer release, or not writable), or has lost deliveries (`damaged`), so that an operator must
 * replace it.
 */
export class DeliveryStoreError extends Error {
  constructor(
    readonly kind: 'unavailable' | 'unusable' | 'damaged',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DeliveryStoreError';
  }
}

/** A delivery that has not ended, its event, and when it was decided. */
export type UnfinishedDelivery = Pick<Delivery, 'id' | 'eventId' | 'position' | 'decidedAt'>;

/** What operators need from a delivery store, to inspect deliveries and to decide about them. */
export interface OperatorStore {
  /** Sets offsets and floor as an operator decided (`ops resume`); may also lower them. */
  resetOffsets(offsets: readonly Offset[], floor: Position | undefined): Promise<void>;
  /**
   * All deliveries of an endpoint that have not ended: waiting, however far ahead, held, or
   * sending, whoever holds their lease. Without tests, whose events are in no log.
   */
  unfinished(endpoint: EndpointId): Promise<readonly UnfinishedDelivery[]>;
  /**
   * Lowers `decidedAt` of these deliveries to a position: a restored log does not have what was
   * known of their endpoint then.
   */
  lowerDecidedAt(deliveries: readonly DeliveryId[], to: Position): Promise<void>;
  /**
   * Cancels the given deliveries that have not ended. Their open attempts become `unknown`,
   * and later writes of their holders have no effect. Resolves to the number canceled.
   */
  cancelUnfinished(deliveries: readonly DeliveryId[], reason: string, now: string): Promise<number>;

  /** The keys of requests that were answered with one of these deliveries. */
  answeredKeys(answered: readonly DeliveryId[]): Promise<readonly AnsweredKey[]>;
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

/** What names the later deliveries of the same event to the same endpoint. */
type Recoverable = Pick<Delivery, 'eventId' | 'endpointId' | 'createdAt'>;

/** How many deliveries of an endpoint have not ended, and how many of these are held. */
export interface UnfinishedCounts {
  readonly unfinished: number;
  readonly held: number;
}

/** What the API shows of a delivery store. */
export interface DeliveryReader extends ReplayReader, StatisticsReader {
  get(id: DeliveryId): Promise<Delivery | undefined>;
  /**
   * A key of this id that was used; undefined if there is none. It is kept as long as the delivery
   * with which the request was answered.
   */
  answeredKey(id: DeliveryId): Promise<AnsweredKey | undefined>;
  /** One page of a list. */
  find(query: DeliveryQuery): Promise<DeliveryPage>;
  /**
   * For each of these deliveries, the first later one of the same event to the same endpoint that
   * was requested and has succeeded; undefined where there is none.
   */
  recoveries(deliveries: readonly Recoverable[]): Promise<readonly (DeliveryId | undefined)[]>;
  /**
   * Since when attempts to these endpoints have been failing (RFC 3339), for those that have a
   * series.
   */
  failingSince(endpoints: readonly EndpointId[]): Promise<ReadonlyMap<EndpointId, string>>;
  /** How many deliveries of an endpoint have not ended. Counts up to `limit`. */
  countUnfinished(endpoint: EndpointId, limit: number): Promise<UnfinishedCounts>;
}

/** A delivery store that was opened to read it. */
export interface OpenDeliveryReader extends DeliveryReader, AuditReader {
  readonly id: string;
  close(): Promise<void>;
}
