import {
  comparePositions,
  laterOf,
  publicEventId,
  toPosition,
  type DeliveryId,
  type EndpointId,
  type Payload,
  type Position,
} from '@refledger/contracts';
import type { BusBatch, Offset, PublishedRecord } from '@refledger/event-bus';
import {
  decisionOf,
  deliveryBody,
  plannedId,
  type DeliveryDecision,
  type EndpointDirectory,
} from '@refledger/webhook-endpoints';
import type { DeliveryTexts } from '@refledger/personal-data';
import type { EndpointTracker } from '../endpoint-tracker.js';
import type { Reservation, Scheduler } from '../scheduling/scheduler.js';
import type { Lease, Plan, PlannedDelivery, PlannerStore } from '@refledger/delivery-store';
import type { OffsetWriter } from './offset-writer.js';

export interface BatchPlannerOptions {
  readonly store: Pick<PlannerStore, 'plan' | 'floor' | 'offset'>;
  readonly directory: Pick<
    EndpointDirectory,
    'matching' | 'latest' | 'forgetUpTo' | 'continueAbove'
  >;
  readonly tracker: Pick<EndpointTracker, 'followTo' | 'recheck'>;
  readonly scheduler: Pick<Scheduler, 'reserve' | 'enqueue'>;
  readonly newLease: () => Lease;
  readonly texts: Pick<DeliveryTexts, 'sealBodies'>;
  readonly offsets: Pick<OffsetWriter, 'later' | 'flush' | 'forget'>;
  /** Whether the bus is in log order, so that each batch raises the floor. */
  readonly inLogOrder: boolean;
}

/**
 * Makes the plan of each batch durable together with the batch's offset. Deliveries that the
 * endpoints' limits allow are then sent at once, and the others wait in the store.
 */
export class BatchPlanner {
  private floor: Position | undefined;
  private reached: Position | undefined;

  constructor(private readonly options: BatchPlannerOptions) {}

  /** The last position planned of a bus in log order. */
  get position(): Position | undefined {
    return this.reached;
  }

  /**
   * Resolves to the offset after which a partition continues, and loads the floor. After an
   * operator's decision, both may be lower than before.
   */
  async offsetOf(partition: string): Promise<Offset | undefined> {
    const { offsets, store, directory, inLogOrder } = this.options;
    await offsets.flush();
    const floor = await store.floor();
    await directory.continueAbove(floor);
    this.floor = floor;
    const offset = await store.offset(partition);
    if (inLogOrder) this.reached = toPosition(offset?.offset ?? '');
    return offset;
  }

  /** Plans a batch. Rejects when the batch is not planned. */
  async plan({ records, offset }: BusBatch): Promise<void> {
    const { directory, tracker, scheduler, offsets, inLogOrder } = this.options;
    const last = aboveFloor(records, this.floor)
      .map(({ position }) => position)
      .reduce<Position | undefined>(laterOf, undefined);
    if (last !== undefined) await tracker.followTo(last);
    const reserved: Reservation[] = [];
    const mayStart = (endpoint: EndpointId): boolean => {
      const reservation = scheduler.reserve(endpoint);
      if (reservation !== undefined) reserved.push(reservation);
      return reservation !== undefined;
    };
    const deliveries = planDeliveries(records, { floor: this.floor, directory, mayStart });
    const floor = inLogOrder ? laterOf(this.floor, last) : this.floor;
    if (deliveries.length === 0) offsets.later({ offset, floor });
    else await this.write({ deliveries, offset, floor }, reserved);
    if (!inLogOrder) return;
    this.raiseFloor(floor);
    this.reached = laterOf(this.reached, toPosition(offset.offset));
  }

  /** Raises the floor: everything at or below it is planned. */
  raiseFloor(floor: Position | undefined): void {
    this.floor = laterOf(this.floor, floor);
    this.options.directory.forgetUpTo(this.floor);
  }

  private async write(plan: Plan, reserved: readonly Reservation[]): Promise<void> {
    const { store, texts, scheduler, tracker, newLease, offsets } = this.options;
    let deliveries: readonly PlannedDelivery[];
    let inserted: ReadonlySet<DeliveryId>;
    try {
      deliveries = await texts.sealBodies(plan.deliveries);
      inserted = new Set(await store.plan({ ...plan, deliveries }, newLease()));
    } catch (error) {
      for (const reservation of reserved) reservation.release();
      throw error;
    }
    offsets.forget(plan.offset.partition);
    const next = reserved.values();
    for (const delivery of deliveries) {
      if (delivery.status !== 'sending') continue;
      if (inserted.has(delivery.id)) next.next().value?.use({ ...delivery, ...firstAttempt });
      else next.next().value?.release();
    }
    scheduler.enqueue(endpointsOf(plan, 'waiting'));
    scheduler.enqueue(endpointsOf(plan, 'held'), 'held');
    // endpoints may have changed while the plan was being written; nothing waits for that
    for (const status of ['waiting', 'held'] as const)
      void tracker.recheck(
        deliveries.filter((one) => one.status === status),
        status,
      );
  }
}

const endpointsOf = (
  { deliveries }: Plan,
  status: PlannedDelivery['status'],
): ReadonlySet<EndpointId> =>
  new Set(deliveries.flatMap((one) => (one.status === status ? [one.endpointId] : [])));

const firstAttempt = { attempt: 1, earlierFailures: 0, unknownBefore: 0 };

export interface PlanningRules {
  /** Nothing at or below this position is planned again. */
  readonly floor: Position | undefined;
  /** Finds the endpoints that wanted a record at its position, and what became of them since. */
  readonly directory: Pick<EndpointDirectory, 'matching' | 'latest'>;
  /** Whether one more delivery of this endpoint may be sent at once. Called once per delivery. */
  readonly mayStart: (endpoint: EndpointId) => boolean;
}

/**
 * The deliveries of a batch, in its order. Ids are derived from event and endpoint, so that
 * planning a batch twice gives the same deliveries.
 */
export const planDeliveries = (
  records: readonly PublishedRecord[],
  { floor, directory, mayStart }: PlanningRules,
): readonly PlannedDelivery[] =>
  aboveFloor(records, floor).flatMap((record) => {
    const matches = directory.matching({ ...record, objectId: record.record.id });
    if (matches.length === 0) return [];
    const eventId = publicEventId(record.eventId);
    const bodies: Partial<Record<Payload, string>> = {};
    return matches.map(({ endpointId, payload, isHeld }): PlannedDelivery => {
      const of = { trigger: 'event', decidedAt: record.position } as const;
      const decision = decisionOf(of, directory.latest(endpointId));
      const beginning = beginningOf(decision, isHeld, () => mayStart(endpointId));
      const isSent = beginning.status === 'sending' || beginning.status === 'waiting';
      return {
        id: plannedId(record, endpointId),
        accountId: record.accountId,
        endpointId,
        eventId,
        eventType: record.type,
        objectId: record.record.id,
        ...of,
        position: record.position,
        payload,
        body: isSent ? (bodies[payload] ??= deliveryBody(record, payload)) : null,
        ...beginning,
      };
    });
  });

/**
 * How a delivery begins. The endpoint's version at the event decides whether it is held; what is
 * known of later versions may hold or cancel it, too.
 */
const beginningOf = (
  decision: DeliveryDecision,
  isHeld: boolean,
  mayStart: () => boolean,
): Pick<PlannedDelivery, 'status' | 'reason'> => {
  if (decision.to === 'cancel') return { status: 'canceled', reason: decision.reason };
  if (decision.to === 'hold' || isHeld) return { status: 'held', reason: null };
  return { status: mayStart() ? 'sending' : 'waiting', reason: null };
};

/** The records at positions above the floor; all of them when there is no floor. */
const aboveFloor = (
  records: readonly PublishedRecord[],
  floor: Position | undefined,
): readonly PublishedRecord[] =>
  floor === undefined
    ? records
    : records.filter(({ position }) => comparePositions(position, floor) > 0);
