import {
  comparePositions,
  isPublicEventType,
  isId,
  isObject,
  publicEventId,
  streams,
  type AccountId,
  type DeliveryId,
  type DeliveryStatus,
  type EndpointId,
  type EventId,
  type Position,
  type PublicEventId,
} from '@refledger/contracts';
import { decodeEvent, type EventLog, type LoggedEvent } from '@refledger/event-log';
import { EndpointHistory } from '../directory/endpoint-history.js';
import { isEndpointEvent } from '../directory/endpoint-version.js';
import { plannedId } from '../deliveries/planned-id.js';
import type { DeliverySummary, OpenDeliveryReader } from '@refledger/delivery-store';
import { OperatorDecisions, type SkippedDeliveries } from './operator-decisions.js';

export interface AuditDeliveriesOptions {
  readonly log: Pick<EventLog, 'readAll' | 'readStream' | 'eventAt'>;
  readonly store: Pick<OpenDeliveryReader, 'floor' | 'statuses' | 'removed' | 'find'>;
  readonly signal: AbortSignal;
  readonly onProgress?: (position: Position) => void;
}

/** A delivery that is missing, or one that should not exist. */
export interface DeliveryFinding {
  readonly endpointId: EndpointId;
  readonly eventId: PublicEventId;
  readonly position: Position;
  readonly problem: string;
}

/** What an audit has compared. */
export interface AuditedDeliveries {
  /** Undefined if nothing was planned yet. */
  readonly plannedThrough: Position | undefined;
  /** How many deliveries the log accounts for, by status. */
  readonly statuses: Readonly<Record<DeliveryStatus, number>>;
  /** How many endpoints these are for. */
  readonly endpoints: number;
  readonly skipped: readonly SkippedDeliveries[];
}

/**
 * Recomputes from the log which endpoint wanted which event, and yields what differs from the
 * stored deliveries: each such event must have one, unless it was removed, and there must be no
 * others. Looks at the events that are planned. Memory grows only with the number of changes to
 * endpoints.
 */
export async function* auditDeliveries(
  options: AuditDeliveriesOptions,
): AsyncGenerator<DeliveryFinding, AuditedDeliveries> {
  const { log, store, signal, onProgress } = options;
  const plannedThrough = await store.floor();
  const audit = new Audit(options, plannedThrough, await OperatorDecisions.read(log));
  if (plannedThrough !== undefined) {
    for await (const { events, through } of log.readAll({ batchSize: 1_000 })) {
      signal.throwIfAborted();
      yield* audit.apply(events);
      onProgress?.(through);
      if (comparePositions(through, plannedThrough) >= 0) break;
    }
    yield* audit.unexpected();
  }
  return audit.result;
}

/** A delivery that must exist, unless it was removed. */
interface ExpectedDelivery {
  readonly id: DeliveryId;
  readonly endpointId: EndpointId;
  /** The event's id in the log. */
  readonly eventId: EventId;
  readonly position: Position;
  readonly recordedAt: string;
}

class Audit {
  private readonly endpoints = new EndpointHistory();
  private readonly accountOf = new Map<EndpointId, AccountId>();
  /** How many expected deliveries were found. */
  private readonly found = new Map<EndpointId, number>();
  private readonly statuses: Record<DeliveryStatus, number> = {
    succeeded: 0,
    failed: 0,
    canceled: 0,
    waiting: 0,
    held: 0,
    sending: 0,
  };

  constructor(
    private readonly options: AuditDeliveriesOptions,
    private readonly plannedThrough: Position | undefined,
    private readonly decisions: OperatorDecisions,
  ) {}

  get result(): AuditedDeliveries {
    const { plannedThrough, statuses, decisions, found } = this;
    return { plannedThrough, statuses, endpoints: found.size, skipped: decisions.all };
  }

  /** Compares the events of a batch with their deliveries. */
  async *apply(events: readonly LoggedEvent[]): AsyncGenerator<DeliveryFinding> {
    const expected = events.flatMap((event) => this.expectedOf(event));
    const statuses = await this.options.store.statuses(expected.map(({ id }) => id));
    const missing: ExpectedDelivery[] = [];
    for (const delivery of expected) {
      const status = statuses.get(delivery.id);
      if (status === undefined) missing.push(delivery);
      else this.count(delivery.endpointId, status);
    }
    if (missing.length > 0) yield* this.missing(missing);
  }

  /** Deliveries in the store that no event accounts for. */
  async *unexpected(): AsyncGenerator<DeliveryFinding> {
    for (const [endpointId, accountId] of this.accountOf) {
      let stored = 0;
      for await (const _ of this.storedOf(endpointId, accountId)) stored++;
      // all expected ones are among these, so a larger number means extra ones
      if (stored <= (this.found.get(endpointId) ?? 0)) continue;
      for await (const delivery of this.storedOf(endpointId, accountId)) {
        const problem = await this.problemOf(delivery);
        if (problem !== undefined) yield { ...delivery, problem };
      }
    }
  }

  private count(endpoint: EndpointId, status: DeliveryStatus): void {
    this.statuses[status]++;
    this.found.set(endpoint, (this.found.get(endpoint) ?? 0) + 1);
  }

  /** The deliveries that an event must have. */
  private expectedOf(logged: LoggedEvent): readonly ExpectedDelivery[] {
    const { id, position, metadata } = logged;
    if (!this.isPlanned(position)) return [];
    this.follow(logged);
    const recordedAt = metadata.recorded_at;
    return this.matching(logged).map((endpointId) => ({
      id: plannedId({ eventId: id, timestamp: recordedAt }, endpointId),
      endpointId,
      eventId: id,
      position,
      recordedAt,
    }));
  }

  /** Follows the endpoints, as the dispatcher does. */
  private follow(logged: LoggedEvent): void {
    if (!logged.stream.startsWith(streams.allWebhooks)) return;
    if (this.decisions.isSkippedByDispatcher(logged.id)) return;
    const event = decodeEvent(logged);
    if (!isEndpointEvent(event)) return;
    this.endpoints.add(event);
    if (event.metadata.account_id !== null)
      this.accountOf.set(event.data.endpoint_id, event.metadata.account_id);
  }

  /** The endpoints that wanted an event. */
  private matching(logged: LoggedEvent): readonly EndpointId[] {
    const { type, position, metadata } = logged;
    const { account_id: accountId } = metadata;
    if (!isPublicEventType(type) || accountId === null) return [];
    const matching = this.endpoints.matching({
      accountId,
      type,
      position,
      objectId: endpointOf(logged),
    });
    return matching.map(({ endpointId }) => endpointId);
  }

  private isPlanned(position: Position): boolean {
    return (
      this.plannedThrough !== undefined && comparePositions(position, this.plannedThrough) <= 0
    );
  }

  /** The missing deliveries whose absence nothing explains. */
  private async *missing(deliveries: readonly ExpectedDelivery[]): AsyncGenerator<DeliveryFinding> {
    const { endedBefore, heldThrough } = await this.options.store.removed();
    const mayHaveEnded = (recordedAt: string): boolean =>
      endedBefore !== undefined &&
      Date.parse(recordedAt) < Date.parse(endedBefore) + clockDifferenceMs;
    for (const { endpointId, eventId, position, recordedAt } of deliveries) {
      const through = heldThrough.get(endpointId);
      const wasSwept = through !== undefined && comparePositions(position, through) <= 0;
      if (mayHaveEnded(recordedAt) || wasSwept) continue;
      if (this.decisions.explain(eventId, position)) continue;
      const about = { endpointId, eventId: publicEventId(eventId), position };
      yield { ...about, problem: 'the event has no delivery' };
    }
  }

  /** The stored deliveries of events that this audit has looked at. */
  private async *storedOf(
    endpointId: EndpointId,
    accountId: AccountId,
  ): AsyncGenerator<DeliverySummary> {
    const { store, signal } = this.options;
    const query = { accountId, endpointId, trigger: 'event', order, limit: 500 } as const;
    for (let page = await store.find(query); ;) {
      signal.throwIfAborted();
      for (const delivery of page.deliveries) if (this.isPlanned(delivery.position)) yield delivery;
      if (page.next === undefined) return;
      page = await store.find({ ...query, after: page.next });
    }
  }

  /** Why a stored delivery should not exist; undefined if it should. */
  private async problemOf(delivery: DeliverySummary): Promise<string | undefined> {
    const { id, endpointId, eventId, position } = delivery;
    const event = await this.options.log.eventAt(position);
    if (event === undefined || publicEventId(event.id) !== eventId)
      return 'the log does not have this event at its position';
    if (!this.matching(event).includes(endpointId)) return 'the endpoint did not want this event';
    const timestamp = event.metadata.recorded_at;
    return id === plannedId({ eventId: event.id, timestamp }, endpointId)
      ? undefined
      : `the event has more than one delivery (${id})`;
  }
}

/** The endpoint that an event is about; undefined for one about anything else. */
const endpointOf = ({ stream, data }: LoggedEvent): EndpointId | undefined => {
  // not decoded: an event that the operator has skipped may be unreadable
  if (!stream.startsWith(streams.allWebhooks) || !isObject(data)) return undefined;
  const { endpoint_id } = data;
  return typeof endpoint_id === 'string' && isId('endpoint', endpoint_id) ? endpoint_id : undefined;
};

const order = { by: 'created_at', descending: false } as const;

/** How far the clocks of gateways and dispatchers may differ. */
const clockDifferenceMs = 5 * 60_000;
