import { laterOf, type Position } from '@refledger/contracts';
import type { BusEnd, Offset, EventBus } from '@refledger/event-bus';
import { repeatOnClock, type Clock } from '@refledger/webhook-endpoints';
import type { Lease, PlannerStore } from '@refledger/delivery-store';
import type { BatchPlanner } from './batch-planner.js';

export interface BusProgressOptions {
  readonly bus: Pick<EventBus, 'end'>;
  readonly store: Pick<PlannerStore, 'offsets' | 'plan'>;
  readonly clock: Clock;
  readonly newLease: () => Lease;
  readonly planner: Pick<BatchPlanner, 'raiseFloor'>;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Tracks how far all dispatchers together have planned a bus of many partitions: up to an earlier
 * end of the bus, once the store's offsets have passed that end in every partition. It raises the
 * floor accordingly, so that nothing is planned again after a change of the bus. The position of a
 * single record is no measure, since other partitions may be behind it, or have no records for
 * days.
 */
export class BusProgress {
  private awaited: BusEnd | undefined;
  private floor: Position | undefined;
  private reached: Position | undefined;
  private stop: (() => void) | undefined;
  private ended = false;

  constructor(private readonly options: BusProgressOptions) {}

  get position(): Position | undefined {
    return this.reached;
  }

  /** Calls `poll` once per second from now on. */
  start(): void {
    if (this.ended) return;
    const { clock, logRetry } = this.options;
    const poll = () =>
      this.poll()
        .catch((error: unknown) => logRetry('reading the progress of planning', error))
        .then(() => pollIntervalMs);
    this.stop = repeatOnClock(clock, poll, pollIntervalMs);
  }

  /** Continues from the floor of the store, since an operator may have decided to go back. */
  continueAbove(floor: Position | undefined): void {
    this.awaited = undefined;
    this.floor = floor;
    this.reached = floor;
  }

  end(): void {
    this.ended = true;
    this.stop?.();
  }

  /**
   * Compares the store's offsets with the end of the bus, and raises the floor once they have
   * passed it.
   */
  async poll(): Promise<void> {
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
    const { store, newLease, planner } = this.options;
    // an empty plan: the store keeps its offset, which may have risen since
    await store.plan({ deliveries: [], offset, floor }, newLease());
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

const pollIntervalMs = 1_000;
