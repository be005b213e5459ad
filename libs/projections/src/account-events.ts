import {
  comparePositions,
  type AccountId,
  type AffiliateId,
  type LogId,
  type Position,
  type PublicEventId,
  type PublicEventType,
} from '@refledger/contracts';
import type { ReadResult, ReadStore } from '@refledger/read-store';
import {
  blockLength,
  eventsProjection,
  type EventBlock,
  type EventEntry,
} from './events.projection.js';
import { paddedAfter, paddedPosition } from './padded-position.js';

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
  /** The affiliate that it is about or that its record belongs to; null if there is none. */
  readonly affiliateId: AffiliateId | null;
  readonly position: Position;
}

/** Some events of an account, in log order. */
export interface FoundEvents {
  /** None is beyond `reached`. */
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
  async read({ limit, ...range }: EventRange): Promise<FoundEvents> {
    const events: AccountEvent[] = [];
    let reached: Position | undefined;
    let last: EventBlock | undefined;
    for (let most = fewestBlocks(limit); ; most = Math.min(2 * most, mostBlocks)) {
      const { value: blocks, position } = await this.blocks(range, last, most);
      // the blocks of an earlier round may have got more events since
      reached ??= position;
      const entries = blocks.flatMap((block) => block.events).filter(isIn(range, reached));
      events.push(...entries.map(eventOf));
      if (events.length >= limit || blocks.length < most)
        return { events: events.slice(0, limit), reached };
      last = blocks.at(-1);
    }
  }

  /** The next blocks that may have events of this range. */
  private async blocks(
    { accountId, after, through }: Omit<EventRange, 'limit'>,
    last: EventBlock | undefined,
    limit: number,
  ): Promise<ReadResult<readonly EventBlock[]>> {
    const start = last?.start ?? startBound(after);
    const { value, position } = await this.store.find(eventsProjection, this.logId, 'events', {
      where: [
        { field: 'account_id', equals: accountId },
        {
          field: 'start',
          ...(start !== undefined && { after: start }),
          before: paddedAfter(through),
        },
      ],
      order: { fields: ['start'], descending: false },
      limit,
    });
    // the decoding boundary: the projection wrote these documents
    return { value: value as readonly EventBlock[], position };
  }
}

/** Enough for the limit where all events are of this account. */
const fewestBlocks = (limit: number): number => 1 + Math.ceil(limit / Number(blockLength));
/** They have up to 4,096 events. */
const mostBlocks = 64;

/** Blocks that start after this have events after the position; undefined: all blocks. */
const startBound = (after: Position): string | undefined => {
  const bound = BigInt(after) + 1n - blockLength;
  return bound < 0n ? undefined : paddedPosition(String(bound));
};

const isIn =
  ({ after, through }: Pick<EventRange, 'after' | 'through'>, reached: Position | undefined) =>
  ([position]: EventEntry): boolean =>
    reached !== undefined &&
    comparePositions(position, after) > 0 &&
    comparePositions(position, through) <= 0 &&
    comparePositions(position, reached) <= 0;

const eventOf = ([position, eventId, type, objectId, affiliateId]: EventEntry): AccountEvent => ({
  position,
  eventId,
  type,
  objectId,
  affiliateId,
});
