import type {
  AccountId,
  PublicEventType,
  LogId,
  Position,
  PublicEventId,
} from '@refledger/contracts';
import type { ReadStore } from '@refledger/read-store';
import { eventsProjection, type EventDocument } from './events.projection.js';
import { paddedAfter, paddedPosition, unpaddedPosition } from './padded-position.js';

/** A part of an account's events. */
export interface EventRange {
  readonly accountId: AccountId;
  /** Only events after this position. */
  readonly after: Position;
  /** Only events up to this position. */
  readonly through: Position;
  /** At most this many; 1 to 1,000. */
  readonly limit: number;
}

/** An event of a public kind. */
interface AccountEvent {
  readonly eventId: PublicEventId;
  readonly type: PublicEventType;
  /** The id of the event's record. */
  readonly objectId: string;
  readonly position: Position;
}

/** Some events of an account, in log order. */
export interface FoundEvents {
  readonly events: readonly AccountEvent[];
  /** The read model has every event up to here. Undefined: it has none yet. */
  readonly reached: Position | undefined;
}

/** Reads the events of one account at a time. */
export class AccountEvents {
  constructor(
    private readonly store: Pick<ReadStore, 'find'>,
    private readonly logId: LogId,
  ) {}

  /** Throws `ReadModelUnreadable` while the read model is being built, and `ReadStoreError`. */
  async read({ accountId, after, through, limit }: EventRange): Promise<FoundEvents> {
    const { value, position } = await this.store.find(eventsProjection, this.logId, 'events', {
      where: [
        { field: 'account_id', equals: accountId },
        { field: 'position', after: paddedPosition(after), before: paddedAfter(through) },
      ],
      order: { fields: ['position'], descending: false },
      limit,
    });
    // the decoding boundary: the projection wrote these documents
    return { events: (value as readonly EventDocument[]).map(eventOf), reached: position };
  }
}

const eventOf = ({ event_id, type, object_id, position }: EventDocument): AccountEvent => ({
  eventId: event_id,
  type,
  objectId: object_id,
  position: unpaddedPosition(position),
});
