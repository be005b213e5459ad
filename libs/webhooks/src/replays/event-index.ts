import type { AccountId, PublicEventType, Position, PublicEventId } from '@refledger/contracts';

/** An event of a public kind, as the index of an account's events has it. */
export interface IndexedEvent {
  readonly eventId: PublicEventId;
  readonly type: PublicEventType;
  /** The id of the event's record. */
  readonly objectId: string;
  readonly position: Position;
}

/** Some events of an account, in log order. */
interface IndexedEvents {
  /** None is beyond `reached`. */
  readonly events: readonly IndexedEvent[];
  /** The index has every event up to here. Undefined: it has none yet. */
  readonly reached: Position | undefined;
}

/** Finds the events of one account without reading those of others. */
export interface EventIndex {
  /**
   * At most `limit` events after a position and up to another one. Rejects while the index can't be
   * read.
   */
  read(range: {
    readonly accountId: AccountId;
    readonly after: Position;
    readonly through: Position;
    readonly limit: number;
  }): Promise<IndexedEvents>;
}
