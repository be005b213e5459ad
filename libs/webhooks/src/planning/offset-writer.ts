import type { Position } from '@refledger/contracts';
import type { Offset } from '@refledger/event-bus';
import type { Clock } from '../clock.js';
import type { RetryLog } from '../retry-log.js';
import type { LeaseTerms } from '../scheduling/lease-terms.js';
import type { DeliveryStore } from '../stores/delivery-store.js';

/** How far planning has come: an offset in the bus, and the floor. */
export interface PlannedTo {
  readonly offset: Offset;
  readonly floor: Position | undefined;
}

export interface OffsetWriterOptions {
  readonly store: Pick<DeliveryStore, 'plan'>;
  readonly clock: Clock;
  readonly leases: Pick<LeaseTerms, 'newLease'>;
  readonly retryLog: Pick<RetryLog, 'failed'>;
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
    const { clock, retryLog } = this.options;
    this.unwritten.set(plannedTo.offset.partition, plannedTo);
    this.clearTimer ??= clock.after(1_000, () => {
      this.clearTimer = undefined;
      this.flush().catch((error: unknown) => retryLog.failed('writing the offset', error));
    });
  }

  async flush(): Promise<void> {
    const { store, leases } = this.options;
    for (const plannedTo of this.unwritten.values()) {
      this.unwritten.delete(plannedTo.offset.partition);
      await store.plan({ deliveries: [], ...plannedTo }, leases.newLease());
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
