import {
  isPublicEventType,
  partitionKeyOf,
  publicAggregateOf,
  type EventId,
  type StoredRecord,
} from '@refledger/contracts';
import { emptyFolds, type RecordFold } from '@refledger/domain';
import {
  EventLogError,
  UnreadableEvent,
  decodeEvent,
  messageOf,
  type EventLog,
  type LoggedEvent,
} from '@refledger/event-log';
import type { PersonalData } from '@refledger/personal-data';
import { LRUCache } from 'lru-cache';
import type { PublishedRecord } from './event-bus.js';

export interface RecordMakerOptions {
  readonly log: Pick<EventLog, 'readStream'>;
  readonly personalData: Pick<PersonalData, 'openRecords'>;
  /** Events that an operator decided to skip, even when later events are folded. */
  readonly isSkipped?: (eventId: EventId) => boolean;
  /** The number of stream states cached; each takes about 1 KiB. */
  readonly cacheSize?: number;
}

/**
 * Makes the records of public events. Each shows its state as of exactly its event, made by folding
 * the event's stream up to that event, unless the event itself holds the record.
 */
export class RecordMaker {
  private readonly log: Pick<EventLog, 'readStream'>;
  private readonly personalData: Pick<PersonalData, 'openRecords'>;
  private readonly isSkipped: (eventId: EventId) => boolean;
  private readonly states: LRUCache<string, KnownRecord>;

  constructor({
    log,
    personalData,
    isSkipped = () => false,
    cacheSize = 20_000,
  }: RecordMakerOptions) {
    this.log = log;
    this.personalData = personalData;
    this.isSkipped = isSkipped;
    this.states = new LRUCache({ max: cacheSize });
  }

  /**
   * Makes the record of an event. Undefined if there is none to publish (not a public kind, or
   * skipped). Throws `UnreadableEvent`.
   */
  async make(event: LoggedEvent): Promise<PublishedRecord | undefined> {
    const stored = await this.stored(event);
    const [record] = await this.opened(stored === undefined ? [] : [stored]);
    return record;
  }

  private async stored(event: LoggedEvent): Promise<StoredPublication | undefined> {
    if (!isPublicEventType(event.type)) return undefined;
    const record = this.alone(event) ?? (await this.folded(event));
    if (this.isSkipped(event.id)) return undefined;
    const accountId = event.metadata.account_id;
    if (record === undefined || accountId === null)
      throw new UnreadableEvent(
        event,
        record === undefined ? 'its stream has no record at its revision' : 'it has no account_id',
      );
    return {
      eventId: event.id,
      type: event.type,
      accountId,
      key: partitionKeyOf(record, accountId),
      position: event.position,
      revision: event.revision,
      timestamp: event.metadata.recorded_at,
      record,
    };
  }

  /**
   * Makes records of the events up to the first that fails, so that the records before it are still
   * delivered.
   */
  async makeAll(events: readonly LoggedEvent[]): Promise<RecordBatch> {
    const stored: StoredPublication[] = [];
    let through: LoggedEvent | undefined;
    for (const event of events) {
      try {
        const record = await this.stored(event);
        if (record !== undefined) stored.push(record);
        through = event;
      } catch (error) {
        return { records: await this.opened(stored), through, failure: { event, error } };
      }
    }
    return { records: await this.opened(stored), through };
  }

  /** Opens the personal values of records, with their keys in one call. */
  private async opened(stored: readonly StoredPublication[]): Promise<readonly PublishedRecord[]> {
    const records = await this.personalData.openRecords(stored.map(({ record }) => record));
    return stored.flatMap((each, index) => {
      const record = records[index];
      return record === undefined ? [] : { ...each, record };
    });
  }

  /** The record of an event that holds it, in a stream that many records share. */
  private alone(event: LoggedEvent): StoredRecord | undefined {
    const empty = emptyFoldOf(event);
    if (empty.recordAlone === undefined || this.isSkipped(event.id)) return undefined;
    return readable(event, () => empty.recordAlone?.(decodeEvent(event)));
  }

  private async folded(event: LoggedEvent): Promise<StoredRecord | undefined> {
    const state = this.evolve(await this.stateBefore(event), event);
    this.states.set(event.stream, state);
    return state.fold.record;
  }

  /**
   * The state before an event. It is usually cached, because the log is read in order; otherwise
   * the stream is read.
   */
  private async stateBefore(event: LoggedEvent): Promise<KnownRecord> {
    const { stream, revision } = event;
    const cached = this.states.get(stream);
    let state =
      cached !== undefined && cached.revision < revision
        ? cached
        : { revision: -1, fold: emptyFoldOf(event) };
    if (state.revision === revision - 1) return state;
    for await (const batch of this.log.readStream(stream, {
      from: state.revision + 1,
      to: revision - 1,
    })) {
      for (const earlier of batch) state = this.evolve(state, earlier);
    }
    return state;
  }

  private evolve({ fold }: KnownRecord, event: LoggedEvent): KnownRecord {
    const { revision } = event;
    if (this.isSkipped(event.id)) return { revision, fold };
    return { revision, fold: readable(event, () => fold.evolve(decodeEvent(event))) };
  }
}

/** A record to publish while its personal values are sealed. */
type StoredPublication = Omit<PublishedRecord, 'record'> & { readonly record: StoredRecord };

interface RecordBatch {
  readonly records: readonly PublishedRecord[];
  /** The last event before the failure. */
  readonly through: LoggedEvent | undefined;
  readonly failure?: { readonly event: LoggedEvent; readonly error: unknown };
}

interface KnownRecord {
  readonly revision: number;
  readonly fold: RecordFold;
}

/** The result of `read`. Throws `UnreadableEvent` for the event if `read` fails. */
const readable = <T>(event: LoggedEvent, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableEvent || error instanceof EventLogError) throw error;
    throw new UnreadableEvent(event, messageOf(error));
  }
};

/** The fold of a stream before its first event. `event` is any event in the stream. */
const emptyFoldOf = (event: LoggedEvent): RecordFold => {
  const kind = publicAggregateOf(event.type);
  if (kind === undefined) throw new UnreadableEvent(event, 'this release has no record for it');
  return emptyFolds[kind];
};
