import type { Position } from '@refledger/contracts';
import type { BusPlace } from '@refledger/event-bus';
import type { Clock } from './clock.js';
import type { Lease, DeliveryStore } from './delivery-store.js';

/** How far planning has come. */
export interface Reached {
  readonly place: BusPlace;
  readonly floor: Position | undefined;
}

/**
 * Writes the place of batches that nobody wanted, at most once a second: going over them again finds the same nothing,
 * and a write of its own for each would only cost the disk.
 */
export class PlaceWriter {
  private readonly unwritten = new Map<string, Reached>();
  private takeBack: (() => void) | undefined;

  constructor(
    private readonly store: Pick<DeliveryStore, 'plan'>,
    private readonly clock: Clock,
    private readonly newLease: () => Lease,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  later(reached: Reached): void {
    this.unwritten.set(reached.place.partition, reached);
    this.takeBack ??= this.clock.after(1_000, () => {
      this.takeBack = undefined;
      this.flush().catch(this.onFailure);
    });
  }

  async flush(): Promise<void> {
    for (const reached of this.unwritten.values()) {
      this.unwritten.delete(reached.place.partition);
      await this.store.plan({ deliveries: [], ...reached }, this.newLease());
    }
  }

  /** What is written with the next plan, or was decided otherwise, needs no writing of its own. */
  forget(partition?: string): void {
    if (partition === undefined) this.unwritten.clear();
    else this.unwritten.delete(partition);
  }

  stop(): void {
    this.takeBack?.();
    this.takeBack = undefined;
  }
}
