import type { DeliveryTexts, PersonalData } from '@refledger/personal-data';
import type { EventBus } from '@refledger/event-bus';
import type { EventLog, ProcessorLogger } from '@refledger/event-log';
import type { SecretBox } from '@refledger/sealing';
import type { Clock, Outgoing } from '@refledger/webhook-endpoints';
import type { ConcurrencyLimits } from './scheduling/concurrency-limiter.js';
import type { DeliveryStore } from '@refledger/delivery-store';
import type { DispatcherMetrics } from './dispatcher-reports.js';
import type { EventIndex } from './replays/event-index.js';
import type { Sender } from './sending/sender.js';

/** What a dispatcher works with, and its settings. */
export interface DispatcherOptions {
  /**
   * The dispatcher also appends to it: what it finds out about endpoints (gone, failing,
   * recovered), and its store when it creates one.
   */
  readonly log: EventLog;
  readonly bus: EventBus;
  /** Opens the personal values of records, of which bodies are made. */
  readonly personalData: Pick<PersonalData, 'openRecords'>;
  /** Seals what is stored of bodies and responses, and opens a body to send it. */
  readonly texts: Pick<DeliveryTexts, 'sealBodies' | 'keyOf'>;
  readonly store: DeliveryStore;
  /** Finds the events that replays send again. */
  readonly events: EventIndex;
  readonly sender: Pick<Sender, 'send'>;
  readonly secretBox: Pick<SecretBox, 'open'>;
  /** Waits between attempts in milliseconds (WEBHOOK_RETRY_SCHEDULE). */
  readonly schedule: readonly number[];
  readonly timeoutMs: number;
  /** How long finished deliveries are kept, in milliseconds (DELIVERY_RETENTION). */
  readonly retentionMs: number;
  /** How long deliveries are held, in milliseconds (HELD_RETENTION). */
  readonly heldRetentionMs: number;
  /**
   * How long an endpoint may fail before it is disabled, in milliseconds; 0 means never
   * (WEBHOOK_DISABLE_AFTER).
   */
  readonly disableAfterMs: number;
  /**
   * While it is blocked, deliveries are planned, but nothing is claimed or sent. Default: never
   * blocked.
   */
  readonly outgoing?: Outgoing;
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
