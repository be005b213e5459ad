import { laterOf, type Position } from '@refledger/contracts';
import type { BusEnd, BusPlace, EventBus } from '@refledger/event-bus';
import type { Clock } from './clock.js';
import type { DeliveryStore, Lease } from './delivery-store.js';

export interface BusProgressOptions {
  readonly bus: Pick<EventBus, 'end'>;
  readonly store: Pick<DeliveryStore, 'places' | 'plan'>;
  readonly clock: Clock;
  readonly newLease: () => Lease;
  /** Hears that everything at or below this is planned. */
  readonly onFloor: (floor: Position | undefined) => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * How far planning has come on a bus of many partitions, by all dispatchers together: where the bus ended at some moment, once the store's places are
 * past all of it. The floor follows, so that after a change of the bus nothing is planned again. What single records say is no help: other
 * partitions may be behind, or have nothing to say for days.
 */
export class BusProgress {
  private awaited: BusEnd | undefined;
  private floor: Position | undefined;
  private reached: Position | undefined;
  private takeBack: () => void = () => undefined;
  private ended = false;

  constructor(private readonly options: BusProgressOptions) {}

  get position(): Position | undefined {
    return this.reached;
  }

  /** Looks once a second from now on. */
  begin(): void {
    if (this.ended) return;
    this.takeBack = this.options.clock.after(betweenLooksMs, () => {
      this.look()
        .catch(this.options.onFailure)
        .finally(() => this.begin());
    });
  }

  end(): void {
    this.ended = true;
    this.takeBack();
  }

  async look(): Promise<void> {
    const { bus, store } = this.options;
    const end = (this.awaited ??= await bus.end());
    if (end === undefined) return;
    const places = await store.places();
    if (!end.places.every((place) => isPast(places, place))) return;
    this.awaited = undefined;
    this.reached = laterOf(this.reached, end.position);
    await this.raiseFloor(laterOf(this.floor, end.lastRecord), places);
  }

  private async raiseFloor(
    floor: Position | undefined,
    [place]: readonly BusPlace[],
  ): Promise<void> {
    if (floor === this.floor || place === undefined) return;
    // a plan of nothing: the place stays where it is, or has risen since
    await this.options.store.plan({ deliveries: [], place, floor }, this.options.newLease());
    this.floor = floor;
    this.options.onFloor(floor);
  }
}

const isPast = (places: readonly BusPlace[], { source, partition, offset }: BusPlace): boolean =>
  places.some(
    (place) =>
      place.partition === partition &&
      place.source === source &&
      BigInt(place.offset) >= BigInt(offset),
  );

const betweenLooksMs = 1_000;
