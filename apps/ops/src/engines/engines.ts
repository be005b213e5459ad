import type { BackupPoint } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { KeyReader, KeyStore } from '@refledger/key-store';
import type { ErasureCommand, ProcessorDecision } from '@refledger/operator';
import type { ReadStore } from '@refledger/read-store';
import type { DeliveryStore, OpenDeliveryReader } from '@refledger/delivery-store';
import type { Console } from '../console.js';
import type { OpenTerms } from './open-terms.js';
import type { SecretsKeys } from './secrets-keys.js';
import type { Backup } from './back-up-directory.js';

/**
 * A service's engines as its operator reaches them. Throws an error with an explanation if an
 * engine cannot be reached or used.
 */
export interface OperatorEngines {
  /** Opens the log for reading, alongside any process that writes to it. */
  openLog(): Promise<EventLog>;
  /** Opens the read models for reading. */
  openStore(): Promise<ReadStore>;
  /** Opens the keys for the terms of `affiliate_search`. */
  openTerms(): Promise<OpenTerms>;
  /** Opens the deliveries of webhooks for reading. */
  openDeliveries(): Promise<OpenDeliveryReader>;
  /** Opens the key store of this log to read keys. */
  openKeys(log: EventLog): Promise<KeyReader>;
  /** Opens the key store of this log to compare what is stored, erasures that still run included. */
  openStoredKeys(log: EventLog): Promise<KeyReader>;
  /** Opens the key store of this log to change keys, alongside any process that writes to it. */
  openKeyStore(log: EventLog): Promise<KeyStore>;
  /** The keys that the service seals with; the first one seals. Throws `UsageError` without one. */
  secretsKeys(): SecretsKeys;
  /** The keys in SECRETS_KEY; undefined if it is not set. */
  givenSecretsKeys(): SecretsKeys | undefined;
  /**
   * Sends a decision to the running service, and resolves with whether it was new; undefined when
   * no service responds.
   */
  send(decision: ProcessorDecision): Promise<boolean | undefined>;
  /**
   * Runs work with what carries out commands on erasures: through the running service, or directly
   * when none is running.
   */
  withErasures<T>(
    console: Pick<Console, 'report'>,
    work: (carryOut: CarryOutErasure) => Promise<T>,
  ): Promise<T>;
  /**
   * Copies everything that cannot be rebuilt from the log, and the log itself, into a new
   * directory. A service may be running. When the signal aborts, the copy is removed.
   */
  backup(directory: string, signal: AbortSignal): Promise<Backup>;
  /**
   * Says that the directory, a restored backup, has taken the original's place: through the running
   * service, or directly when none is running.
   */
  restored(): Promise<RestoreResult>;
  isServiceRunning(): boolean;
  /** Runs work while no service runs. No service can start until it ends. */
  alone<T>(work: (own: OwnEngines) => Promise<T>): Promise<T>;
}

/** Resolves to whether the erasure was new. Throws `payouts_open` and `not_found`. */
export type CarryOutErasure = (command: ErasureCommand) => Promise<boolean>;

/** The backup that a directory was restored from, and how that was recorded. */
export interface RestoreResult {
  readonly backup: BackupPoint;
  /** Whether it was recorded only now. */
  readonly isNew: boolean;
  /** Whether a service has recorded it. */
  readonly served: boolean;
}

/** The engines while no service runs. */
export interface OwnEngines {
  readonly log: EventLog;
  openStore(): Promise<ReadStore>;
  /** Opens the deliveries of webhooks; undefined if there are none. */
  openDeliveries(): Promise<DeliveryStore | undefined>;
}
