import type { EventBus } from '@refledger/event-bus';
import type { EventLog, ProcessorLogger } from '@refledger/event-log';
import type { Clock } from './clock.js';
import type { ConcurrencyLimits } from './scheduling/concurrency-limiter.js';
import type { DeliveryStore } from './stores/delivery-store.js';
import type { DispatcherMetrics } from './dispatcher-reports.js';
import type { SecretBox } from './endpoints/secret-box.js';
import type { Sender } from './sending/sender.js';

/** The holder in a data folder, which one process at a time has: so what it has left behind is known at once to be nobody's. */
export const soleHolder = 'standalone';

export interface DispatcherOptions {
  /** Can append too: a 410 and the dispatcher's own notes are events. */
  readonly log: EventLog;
  readonly bus: EventBus;
  readonly store: DeliveryStore;
  readonly sender: Pick<Sender, 'send'>;
  readonly secretBox: Pick<SecretBox, 'open'>;
  /** Waits between attempts in milliseconds (WEBHOOK_RETRY_SCHEDULE). */
  readonly schedule: readonly number[];
  readonly timeoutMs: number;
  /** How long finished deliveries are kept (DELIVERY_RETENTION). */
  readonly retentionMs: number;
  /** Of this service, for `User-Agent`. */
  readonly version: string;
  readonly logger: ProcessorLogger;
  readonly metrics?: DispatcherMetrics;
  /**
   * Under which name deliveries are leased. What a name has left behind is taken up at its next start, so a constant one is only
   * for who holds the store alone; default a random one, whose leases are waited for.
   */
  readonly holder?: string;
  readonly leaseMs?: number;
  readonly limits?: ConcurrencyLimits;
  readonly clock?: Clock;
}
