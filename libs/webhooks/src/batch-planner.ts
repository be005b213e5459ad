import { laterOf, type DeliveryId, type EndpointId, type Position } from '@refledger/contracts';
import type { BusBatch, BusPlace } from '@refledger/event-bus';
import type { DeliveryFlow, Reservation } from './delivery-flow.js';
import type { DeliveryStore, Plan } from './delivery-store.js';
import type { EndpointDirectory } from './endpoint-directory.js';
import type { PlaceWriter } from './place-writer.js';
import { aboveFloor, planDeliveries } from './planner.js';

export interface BatchPlannerOptions {
  readonly store: Pick<DeliveryStore, 'plan' | 'floor' | 'place'>;
  readonly directory: Pick<EndpointDirectory, 'followTo' | 'matching' | 'forgetUpTo' | 'goOnAbove'>;
  readonly flow: Pick<DeliveryFlow, 'reserve' | 'newLease' | 'waits'>;
  readonly places: Pick<PlaceWriter, 'later' | 'flush' | 'forget'>;
  /** Whether the bus is in the order of the log, so that each batch raises the floor. */
  readonly inLogOrder: boolean;
}

/** Makes the plan of each batch durable, with the place behind it; then what the endpoints' limits let go at once goes, and the rest waits in the store. */
export class BatchPlanner {
  private floor: Position | undefined;

  constructor(private readonly options: BatchPlannerOptions) {}

  /** From which place a partition goes on, and from which floor. */
  async placeOf(partition: string): Promise<BusPlace | undefined> {
    const { places, store, directory } = this.options;
    await places.flush();
    const floor = await store.floor();
    await directory.goOnAbove(floor);
    this.floor = floor;
    return store.place(partition);
  }

  /** Rejects when the batch is not planned. */
  async plan({ records, place }: BusBatch): Promise<void> {
    const { directory, flow, places, inLogOrder } = this.options;
    const last = aboveFloor(records, this.floor)
      .map(({ position }) => position)
      .reduce<Position | undefined>(laterOf, undefined);
    if (last !== undefined) await directory.followTo(last);
    const reserved: Reservation[] = [];
    const mayStart = (endpoint: EndpointId): boolean => {
      const reservation = flow.reserve(endpoint);
      if (reservation !== undefined) reserved.push(reservation);
      return reservation !== undefined;
    };
    const deliveries = planDeliveries(records, {
      floor: this.floor,
      matching: (record) => directory.matching(record),
      mayStart,
    });
    const floor = inLogOrder ? laterOf(this.floor, last) : this.floor;
    if (deliveries.length === 0) places.later({ place, floor });
    else await this.write({ deliveries, place, floor }, reserved);
    if (inLogOrder) this.raiseFloor(floor);
  }

  /** Everything at or below it is planned. */
  raiseFloor(floor: Position | undefined): void {
    this.floor = laterOf(this.floor, floor);
    this.options.directory.forgetUpTo(this.floor);
  }

  private async write(plan: Plan, reserved: readonly Reservation[]): Promise<void> {
    const { store, flow, places } = this.options;
    let inserted: ReadonlySet<DeliveryId>;
    try {
      inserted = new Set(await store.plan(plan, flow.newLease()));
    } catch (error) {
      for (const reservation of reserved) reservation.giveBack();
      throw error;
    }
    places.forget(plan.place.partition);
    const waiting = new Set<EndpointId>();
    const next = reserved.values();
    for (const delivery of plan.deliveries) {
      if (delivery.status === 'due') waiting.add(delivery.endpointId);
      else if (inserted.has(delivery.id))
        next.next().value?.use({ ...delivery, attempt: 1, earlierFailures: 0 });
      else next.next().value?.giveBack();
    }
    flow.waits(waiting);
  }
}
