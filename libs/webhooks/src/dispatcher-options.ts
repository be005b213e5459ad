import type { EventBus } from '@refledger/event-bus';
import type { EventLog, ProcessorLogger } from '@refledger/event-log';
import type { Clock } from './clock.js';
import type { ConcurrencyLimits } from './scheduling/concurrency-limiter.js';
import type { DeliveryStore } from './stores/delivery-store.js';
import type { DispatcherMetrics } from './dispatcher-reports.js';
import type { SecretBox } from './endpoints/secret-box.js';
import type { Sender } from './sending/sender.js';

/**
 * The dispatcher's name as an event processor: in the log, in checkpoints and in output for
 * operators.
 */
export const dispatcherName = 'webhook-dispatcher';

/**
 * The holder of leases in a data folder. Only one process at a time uses a data folder, so a start
 * may take over the leases of this holder at once.
 */
export const exclusiveHolder = 'standalone';

/** What a dispatcher works with, and its settings. */
export interface DispatcherOptions {
  /**
   * The dispatcher also appends to it: when a 410 disables an endpoint, and when it records its
   * store.
   */
  readonly log: EventLog;
  readonly bus: EventBus;
  readonly store: DeliveryStore;
  readonly sender: Pick<Sender, 'send'>;
  readonly secretBox: Pick<SecretBox, 'open'>;
  /** Waits between attempts in milliseconds (WEBHOOK_RETRY_SCHEDULE). */
  readonly schedule: readonly number[];
  readonly timeoutMs: number;
  /** How long finished deliveries are kept, in milliseconds (DELIVERY_RETENTION). */
  readonly retentionMs: number;
  /** The version of the service, for `User-Agent`. */
  readonly version: string;
  readonly logger: ProcessorLogger;
  readonly metrics?: DispatcherMetrics;
  /**
   * The name under which deliveries are leased. A start takes over the leases of its own name at
   * once, so pass a constant name only where one dispatcher uses the store alone. The default is a
   * random name: the leases of an earlier process then have to run out first.
   */
  readonly holder?: string;
  /** How long a claim lasts without renewal, in milliseconds. Default 30,000. */
  readonly leaseMs?: number;
  /** Default: up to 64 requests per endpoint, and 512 in total. */
  readonly limits?: ConcurrencyLimits;
  readonly clock?: Clock;
}
