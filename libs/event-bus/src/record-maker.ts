import {
  isEventKind,
  type AccountId,
  type AffiliateRecord,
  type ConversionRecord,
  type EventId,
  type EventKind,
} from '@refledger/contracts';
import {
  EventLogError,
  UnreadableEvent,
  decodeEvent,
  messageOf,
  type EventLog,
  type LoggedEvent,
} from '@refledger/event-log';
import { LRUCache } from 'lru-cache';
import type { PublishedRecord } from './event-bus.js';
import { emptyFold, type Fold } from './record-fold.js';

export interface RecordMakerOptions {
  readonly log: Pick<EventLog, 'readStream'>;
  /** Events that an operator decided to skip, also when later events are folded. */
  readonly isSkipped?: (eventId: EventId) => boolean;
  /** The number of stream states cached; each takes about 1 KiB. */
  readonly cacheSize?: number;
}

/**
 * Makes the records of public events. Each is as of exactly its event, by folding the event's
 * stream up to it.
 */
export class RecordMaker {
  private readonly log: Pick<EventLog, 'readStream'>;
  private readonly isSkipped: (eventId: EventId) => boolean;
  private readonly states: LRUCache<string, Known>;

  constructor({ log, isSkipped = () => false, cacheSize = 20_000 }: RecordMakerOptions) {
    this.log = log;
    this.isSkipped = isSkipped;
    this.states = new LRUCache({ max: cacheSize });
  }

  /**
   * Makes the record of an event. Undefined if there is none to publish (not a public kind, or
   * skipped). Throws `UnreadableEvent`.
   */
  async make(event: LoggedEvent): Promise<PublishedRecord | undefined> {
    if (!isEventKind(event.type)) return undefined;
    const before = await this.stateBefore(event, event.type);
    const state = this.after(before, event);
    this.states.set(event.stream, state);
    if (this.isSkipped(event.id)) return undefined;
    const { record } = state.fold;
    const accountId = event.metadata.account_id;
    if (record === undefined || accountId === null)
      throw new UnreadableEvent(
        event,
        record === undefined ? 'its stream makes no record there' : 'it names no account',
      );
    return {
      eventId: event.id,
      type: event.type,
      accountId: accountId as AccountId,
      key: keyOf(record),
      position: event.position,
      revision: event.revision,
      timestamp: event.metadata.recorded_at,
      record,
    };
  }

  /**
   * The state before an event. Mostly it is cached, because the log is read in order; otherwise the
   * stream is read.
   */
  private async stateBefore({ stream, revision }: LoggedEvent, kind: EventKind): Promise<Known> {
    const cached = this.states.get(stream);
    let state =
      cached !== undefined && cached.revision < revision
        ? cached
        : { revision: -1, fold: emptyFold(kind) };
    if (state.revision === revision - 1) return state;
    for await (const batch of this.log.readStream(stream, {
      from: state.revision + 1,
      to: revision - 1,
    })) {
      for (const event of batch) state = this.after(state, event);
    }
    return state;
  }

  private after({ fold }: Known, event: LoggedEvent): Known {
    const { revision } = event;
    if (this.isSkipped(event.id)) return { revision, fold };
    try {
      return { revision, fold: fold.evolve(decodeEvent(event)) };
    } catch (error) {
      if (error instanceof UnreadableEvent || error instanceof EventLogError) throw error;
      throw new UnreadableEvent(event, messageOf(error));
    }
  }
}

interface Known {
  readonly revision: number;
  readonly fold: Fold;
}

/** The key that orders records on the bus: the id of their affiliate. */
const keyOf = (record: AffiliateRecord | ConversionRecord): string =>
  record.object === 'affiliate' ? record.id : record.affiliate_id;
