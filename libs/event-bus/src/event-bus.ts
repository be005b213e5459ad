import type {
  AccountId,
  EventId,
  PublicEventType,
  Position,
  PublicRecord,
} from '@refledger/contracts';
import type { UnreadableEvent } from '@refledger/event-log';

/** A public event as every consumer sees it. Its record is as of exactly this event. */
export interface PublishedRecord {
  readonly eventId: EventId;
  readonly type: PublicEventType;
  readonly accountId: AccountId;
  /** The key that records are ordered by, such as the affiliate's id. */
  readonly key: string;
  readonly position: Position;
  /** The revision of the event in its stream. */
  readonly revision: number;
  readonly timestamp: string;
  readonly record: PublicRecord;
}

/**
 * An offset reached in one partition of the bus. The consumer stores it together with the results
 * of the records. `source` names the origin (a log's id, a cluster's and a log's id); an offset
 * from another source is invalid here. `mark` identifies the last event read up to `offset`, so
 * that a torn or restored source is detected.
 */
export interface Offset {
  readonly source: string;
  readonly partition: string;
  /** A number in decimal digits, which only rises. */
  readonly offset: string;
  readonly mark?: string;
}

/** Records of one partition in order, and the offset to store once they are handled. */
export interface BusBatch {
  readonly records: readonly PublishedRecord[];
  readonly offset: Offset;
}

export interface ConsumeOptions {
  /**
   * Called on every assignment of a partition. Returns where the consumer continues; undefined
   * means the start.
   */
  readonly offsetOf: (partition: string) => Promise<Offset | undefined>;
  readonly signal: AbortSignal;
  /**
   * Events that an operator decided to skip (`ops skip`). The records of later events in their
   * stream ignore them too.
   */
  readonly isSkipped?: (eventId: EventId) => boolean;
  /**
   * Called for each assigned partition, once the offsets of all were accepted, before the first
   * batch.
   */
  readonly onAssigned?: (partition: string) => void;
  /** Called when no partition is assigned to this consumer: others in its group have them all. */
  readonly onNoneAssigned?: () => void;
  /**
   * Called instead of throwing if one partition can wait while others continue. The partition waits
   * until the promise resolves, and then tries the event again.
   */
  readonly onUnreadable?: (error: UnreadableEvent) => Promise<void>;
  /** The maximum number of records per batch. Default: 500. */
  readonly batchSize?: number;
}

/**
 * The bus has nothing at the consumer's offset (another log, a restored backup, deleted offsets).
 * The consumer must not continue without an operator's decision.
 */
export class OffsetNotFound extends Error {
  constructor(
    readonly offset: Offset,
    message: string,
  ) {
    super(message);
    this.name = 'OffsetNotFound';
  }
}

/** How far the bus extends now. */
export interface BusEnd {
  /** The position in the log that the relay has reached. */
  readonly position: Position;
  /** The position of the last record published up to there; undefined if there was none. */
  readonly lastRecord: Position | undefined;
  /** A consumer that has reached these offsets has received every record up to `position`. */
  readonly offsets: readonly Offset[];
}

/**
 * Optional capabilities of a bus beyond the port. Code asks for a capability, never for an
 * adapter's name.
 */
interface EventBusCapabilities {
  /** One partition holds all records in the log's order, so a consumer's offset covers all keys. */
  readonly inLogOrder: boolean;
}

/** Delivers the public events to consumers at least once, in order per key. */
export interface EventBus {
  readonly capabilities: EventBusCapabilities;

  /**
   * Yields batches until `signal` aborts. Throws `OffsetNotFound`, or `UnreadableEvent` if one of
   * Refledger's events can't be made or read as a record (only `isSkipped` gets past it). After any
   * other error the caller may consume again.
   */
  consume(options: ConsumeOptions): AsyncIterable<BusBatch>;
  /** Offsets that precede every record after `position`. Earlier records may be repeated. */
  offsetsAt(position: Position): Promise<readonly Offset[]>;
  /** Undefined before the first publication. */
  end(): Promise<BusEnd | undefined>;
  close(): Promise<void>;
}
