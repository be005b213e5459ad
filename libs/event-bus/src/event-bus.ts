import type {
  AccountId,
  AffiliateRecord,
  ConversionRecord,
  EventId,
  EventKind,
  Position,
} from '@refledger/contracts';
import type { UnreadableEvent } from '@refledger/event-log';

/** One public event as every consumer sees it: the record is as of exactly this event. */
export interface PublishedRecord {
  readonly eventId: EventId;
  readonly type: EventKind;
  readonly accountId: AccountId;
  /** What orders it: the affiliate's id. */
  readonly key: string;
  readonly position: Position;
  readonly revision: number;
  readonly timestamp: string;
  readonly record: AffiliateRecord | ConversionRecord;
}

/**
 * An offset reached in one partition of the bus; kept by the consumer, beside what it made of the records.
 * `source` names what was read (a log's id, a topic's id): an offset of another source is not an offset here.
 * `mark` is what stands at `offset`, so that a torn or restored source shows.
 */
export interface Offset {
  readonly source: string;
  readonly partition: string;
  /** A decimal string that only rises. */
  readonly offset: string;
  readonly mark?: string;
}

/** Records of one partition in order, and the offset to keep once they are dealt with. */
export interface BusBatch {
  readonly records: readonly PublishedRecord[];
  readonly offset: Offset;
}

export interface ConsumeOptions {
  /** Asked on every assignment of a partition: where the consumer goes on; undefined is the beginning. */
  readonly offsetOf: (partition: string) => Promise<Offset | undefined>;
  readonly signal: AbortSignal;
  /** Events that an operator decided to leave out (`ops skip`), also where later records of their stream are made. */
  readonly isSkipped?: (eventId: EventId) => boolean;
  /** Called for each partition assigned once the offsets of all of them were found good, before their first batch. */
  readonly onAssigned?: (partition: string) => void;
  /** Called when no partition fell to this consumer of a group: others have them all. */
  readonly onNoneAssigned?: () => void;
  /**
   * Called instead of throwing where one partition can wait while others go on: it waits until the answer resolves,
   * and then tries the event again.
   */
  readonly onUnreadable?: (error: UnreadableEvent) => Promise<void>;
  /** Most records of one batch, default 500. */
  readonly batchSize?: number;
}

/** The bus has nothing at the offset that the consumer names (another log, a restored backup, offsets that are gone): it must not go on by itself. */
export class OffsetNotFound extends Error {
  constructor(
    readonly offset: Offset,
    message: string,
  ) {
    super(message);
    this.name = 'OffsetNotFound';
  }
}

/** How far the bus goes, as of now. */
export interface BusEnd {
  /** The relay has come so far in the log. */
  readonly position: Position;
  /** Position of the last record that it made of an event up to there; undefined when there was none. */
  readonly lastRecord: Position | undefined;
  /** A consumer whose offsets are at or after these has had every record up to `position`. */
  readonly offsets: readonly Offset[];
}

/** What a bus can do beyond the port. Declared, never asked by an adapter's name. */
export interface EventBusCapabilities {
  /** One partition that holds every record in the log's order: what a consumer has reached, it has reached for all. */
  readonly inLogOrder: boolean;
}

/** Carries the public events to consumers, at least once, in order per key. */
export interface EventBus {
  readonly capabilities: EventBusCapabilities;

  /**
   * Batches as they come, until `signal` aborts. Throws `OffsetNotFound`, or `UnreadableEvent` for one of our own events that
   * can't be made or read as a record (only `isSkipped` gets past it); every other error may be met by consuming again.
   */
  consume(options: ConsumeOptions): AsyncIterable<BusBatch>;
  /** Offsets from which every record after `position` is still to come; records at or before it may come too. */
  offsetsAt(position: Position): Promise<readonly Offset[]>;
  /** Undefined before anything was published. */
  end(): Promise<BusEnd | undefined>;
  close(): Promise<void>;
}
