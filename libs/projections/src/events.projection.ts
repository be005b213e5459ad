import {
  accountOf,
  isPublicEventType,
  objectIdOf,
  publicEventId,
  type AccountId,
  type AffiliateId,
  type Position,
  type PublicEventId,
  type PublicEventType,
  type RecordedEvent,
} from '@refledger/contracts';
import type { Document } from '@refledger/read-store';
import { paddedPosition } from './padded-position.js';
import type { Projection } from './projection.js';

/**
 * An index of each account's public events, without their records, which are folded from the
 * streams when needed. It finds the events of one account without reading those of others. A
 * document has the events of one account in a block of positions. Its id begins with the position
 * where the block starts: a store writes ascending ids at less cost than random ones.
 */
export const eventsProjection: Projection = {
  name: 'events',
  version: 4,
  collections: [{ name: 'events', indexes: [{ fields: ['account_id', 'start'] }] }],
  keysOf: (event) =>
    isPublicEventType(event.type)
      ? [{ collection: 'events', id: `${startOf(event.position)}@${accountOf(event)}` }]
      : [],
  evolve: (document, event) =>
    isPublicEventType(event.type)
      ? // the decoding boundary: every document of this projection is a block
        withEntry(document as EventBlock | undefined, event, event.type)
      : undefined,
};

/** The events of one account in one block of positions. */
export interface EventBlock extends Document {
  readonly account_id: AccountId;
  /** The first position of the block, padded, so that its order as text is that of positions. */
  readonly start: string;
  /** In log order. */
  readonly events: readonly EventEntry[];
}

/** One event, as a list without names, which would take as much space as the values. */
export type EventEntry = readonly [
  position: Position,
  eventId: PublicEventId,
  type: PublicEventType,
  /** The id of the event's record. */
  objectId: string,
  /** The affiliate that it is about or that its record belongs to; null if there is none. */
  affiliateId: AffiliateId | null,
];

/**
 * How many positions a block has. On EventStoreDB, where positions count bytes, most blocks have one
 * event.
 */
export const blockLength = 64n;

/** The start of the block that this position is in. */
const startOf = (position: Position): string => {
  const at = BigInt(position);
  return paddedPosition(String(at - (at % blockLength)));
};

const withEntry = (
  document: EventBlock | undefined,
  event: RecordedEvent,
  type: PublicEventType,
): EventBlock => ({
  account_id: accountOf(event),
  start: startOf(event.position),
  events: [
    ...(document?.events ?? []),
    [
      event.position,
      publicEventId(event.id),
      type,
      objectIdOf(type, event.data),
      'affiliate_id' in event.data ? event.data.affiliate_id : null,
    ],
  ],
});
