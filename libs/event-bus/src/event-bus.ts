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
 * A place reached in one partition of the bus; kept by the consumer, beside what it made of the records.
 * `source` names what was read (a log's id, a topic's id): a place of another source is not a place here.
 * `mark` is what stands at `offset`, so that a torn or restored source shows.
 */
export interface BusPlace {
  readonly source: string;
  readonly partition: string;
  /** A decimal string that only rises. */
  readonly offset: string;
  readonly mark?: string;
}

/** Records of one partition in order, and the place to keep once they are dealt with. */
export interface BusBatch {
  readonly records: readonly PublishedRecord[];
  readonly place: BusPlace;
}

export interface ConsumeOptions {
  /** Asked on every assignment of a partition: where the consumer goes on; undefined is the beginning. */
  readonly placeOf: (partition: string) => Promise<BusPlace | undefined>;
  readonly signal: AbortSignal;
  /** Events that an operator decided to leave out (`ops skip`), also where later records of their stream are made. */
  readonly isSkipped?: (eventId: EventId) => boolean;
  /** Called for each partition assigned once the places of all of them were found good, before their first batch. */
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

/** The bus has nothing at the place that the consumer names (another log, a restored backup, offsets that are gone): it must not go on by itself. */
export class PlaceNotFound extends Error {
  constructor(
    readonly place: BusPlace,
    message: string,
  ) {
    super(message);
    this.name = 'PlaceNotFound';
  }
}

/** How far the bus goes, as of now. */
export interface BusEnd {
  /** The relay has come so far in the log. */
  readonly position: Position;
  /** Position of the last record that it made of an event up to there; undefined when there was none. */
  readonly lastRecord: Position | undefined;
  /** A consumer whose places are at or after these has had every record up to `position`. */
  readonly places: readonly BusPlace[];
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
   * Batches as they come, until `signal` aborts. Throws `PlaceNotFound`, or `UnreadableEvent` for one of our own events that
   * can't be made or read as a record (only `isSkipped` gets past it); every other error may be met by consuming again.
   */
  consume(options: ConsumeOptions): AsyncIterable<BusBatch>;
  /** Places from which every record after `position` is still to come; records at or before it may come too. */
  placesAt(position: Position): Promise<readonly BusPlace[]>;
  /** Undefined before anything was published. */
  end(): Promise<BusEnd | undefined>;
  close(): Promise<void>;
}
