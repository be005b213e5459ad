import { laterOf, type Position } from '@refledger/contracts';
import type { BusEnd, Offset, EventBus } from '@refledger/event-bus';
import type { Clock } from '../clock.js';
import type { RetryLog } from '../retry-log.js';
import type { LeaseTerms } from '../scheduling/lease-terms.js';
import type { DeliveryStore } from '../stores/delivery-store.js';
import type { BatchPlanner } from './batch-planner.js';

export interface BusProgressOptions {
  readonly bus: Pick<EventBus, 'end'>;
  readonly store: Pick<DeliveryStore, 'offsets' | 'plan'>;
  readonly clock: Clock;
  readonly leases: Pick<LeaseTerms, 'newLease'>;
  readonly planner: Pick<BatchPlanner, 'raiseFloor'>;
  readonly retryLog: Pick<RetryLog, 'failed'>;
}

/**
 * How far planning has come on a bus of many partitions, by all dispatchers together: where the bus ended at some moment, once the store's offsets are
 * past all of it. The floor follows, so that after a change of the bus nothing is planned again. What single records say is no help: other
 * partitions may be behind, or have nothing to say for days.
 */
export class BusProgress {
  private awaited: BusEnd | undefined;
  private floor: Position | undefined;
  private reached: Position | undefined;
  private clearTimer: () => void = () => undefined;
  private ended = false;

  constructor(private readonly options: BusProgressOptions) {}

  get position(): Position | undefined {
    return this.reached;
  }

  /** Looks once a second from now on. */
  begin(): void {
    if (this.ended) return;
    const { clock, retryLog } = this.options;
    this.clearTimer = clock.after(betweenLooksMs, () => {
      this.look()
        .catch((error: unknown) => retryLog.failed('looking how far the bus is planned', error))
        .finally(() => this.begin());
    });
  }

  end(): void {
    this.ended = true;
    this.clearTimer();
  }

  async look(): Promise<void> {
    const { bus, store } = this.options;
    const end = (this.awaited ??= await bus.end());
    if (end === undefined) return;
    const offsets = await store.offsets();
    if (!end.offsets.every((offset) => isPast(offsets, offset))) return;
    this.awaited = undefined;
    this.reached = laterOf(this.reached, end.position);
    await this.raiseFloor(laterOf(this.floor, end.lastRecord), offsets);
  }

  private async raiseFloor(
    floor: Position | undefined,
    [offset]: readonly Offset[],
  ): Promise<void> {
    if (floor === this.floor || offset === undefined) return;
    const { store, leases, planner } = this.options;
    // a plan of nothing: the offset stays where it is, or has risen since
    await store.plan({ deliveries: [], offset, floor }, leases.newLease());
    this.floor = floor;
    planner.raiseFloor(floor);
  }
}

const isPast = (offsets: readonly Offset[], { source, partition, offset }: Offset): boolean =>
  offsets.some(
    (reached) =>
      reached.partition === partition &&
      reached.source === source &&
      BigInt(reached.offset) >= BigInt(offset),
  );

const betweenLooksMs = 1_000;
