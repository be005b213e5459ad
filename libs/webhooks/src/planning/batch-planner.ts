import {
  laterOf,
  toPosition,
  type DeliveryId,
  type EndpointId,
  type Position,
} from '@refledger/contracts';
import type { BusBatch, Offset } from '@refledger/event-bus';
import type { EndpointDirectory } from '@refledger/webhook-endpoints';
import type { EndpointTracker } from '../endpoint-tracker.js';
import type { Reservation, Scheduler } from '../scheduling/scheduler.js';
import type { Lease, Plan, PlannedDelivery, PlannerStore } from '@refledger/delivery-store';
import type { OffsetWriter } from './offset-writer.js';
import { aboveFloor, planDeliveries } from './planner.js';

export interface BatchPlannerOptions {
  readonly store: Pick<PlannerStore, 'plan' | 'floor' | 'offset'>;
  readonly directory: Pick<
    EndpointDirectory,
    'matching' | 'latest' | 'forgetUpTo' | 'continueAbove'
  >;
  readonly tracker: Pick<EndpointTracker, 'followTo' | 'recheck'>;
  readonly scheduler: Pick<Scheduler, 'reserve' | 'enqueue'>;
  readonly newLease: () => Lease;
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
    const { store, scheduler, tracker, newLease, offsets } = this.options;
    let inserted: ReadonlySet<DeliveryId>;
    try {
      inserted = new Set(await store.plan(plan, newLease()));
    } catch (error) {
      for (const reservation of reserved) reservation.release();
      throw error;
    }
    offsets.forget(plan.offset.partition);
    const next = reserved.values();
    for (const delivery of plan.deliveries) {
      if (delivery.status !== 'sending') continue;
      if (inserted.has(delivery.id)) next.next().value?.use({ ...delivery, ...firstAttempt });
      else next.next().value?.release();
    }
    scheduler.enqueue(endpointsOf(plan, 'waiting'));
    scheduler.enqueue(endpointsOf(plan, 'held'), 'held');
    // endpoints may have changed while the plan was being written; nothing waits for that
    for (const status of ['waiting', 'held'] as const)
      void tracker.recheck(
        plan.deliveries.filter((one) => one.status === status),
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
