import type { Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import type { Clock } from '@refledger/webhook-endpoints';
import type { Lease, PlannerStore } from '@refledger/delivery-store';

/** How far planning has got: an offset in the bus, and the floor. */
export interface PlannedTo {
  readonly offset: Offset;
  readonly floor: Position | undefined;
}

export interface OffsetWriterOptions {
  readonly store: Pick<PlannerStore, 'plan'>;
  readonly clock: Clock;
  readonly newLease: () => Lease;
  readonly logRetry: (what: string, error: unknown) => void;
}

/**
 * Writes the offsets of batches without deliveries, at most once per second. Planning such a batch
 * again after a crash does no harm, so a write per batch would only load the disk.
 */
export class OffsetWriter {
  private readonly unwritten = new Map<string, PlannedTo>();
  private clearTimer: (() => void) | undefined;

  constructor(private readonly options: OffsetWriterOptions) {}

  /** Remembers an offset, for a write within a second. */
  later(plannedTo: PlannedTo): void {
    const { clock, logRetry } = this.options;
    this.unwritten.set(plannedTo.offset.partition, plannedTo);
    this.clearTimer ??= clock.schedule(1_000, () => {
      this.clearTimer = undefined;
      this.flush().catch((error: unknown) => logRetry('writing the offset', error));
    });
  }

  async flush(): Promise<void> {
    const { store, newLease } = this.options;
    for (const plannedTo of this.unwritten.values()) {
      this.unwritten.delete(plannedTo.offset.partition);
      await store.plan({ deliveries: [], ...plannedTo }, newLease());
    }
  }

  /**
   * Drops offsets that need no write: the next plan writes them, or an operator decided otherwise.
   */
  forget(partition?: string): void {
    if (partition === undefined) this.unwritten.clear();
    else this.unwritten.delete(partition);
  }

  stop(): void {
    this.clearTimer?.();
    this.clearTimer = undefined;
  }
}
