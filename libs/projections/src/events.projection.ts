import {
  accountOf,
  isPublicEventType,
  objectIdOf,
  publicEventId,
  type AccountId,
  type AffiliateId,
  type PublicEventType,
  type PublicEventId,
  type RecordedEvent,
  type StreamName,
} from '@refledger/contracts';
import type { Document } from '@refledger/read-store';
import { paddedPosition } from './padded-position.js';
import type { Projection } from './projection.js';

/**
 * An index of each account's public events, without their records, which are folded from the
 * streams when needed. It finds the events of one account without reading those of others. A
 * document's id is the event's position: a store writes ascending ids at less cost than random
 * ones.
 */
export const eventsProjection: Projection = {
  name: 'events',
  version: 3,
  collections: [{ name: 'events', indexes: [{ fields: ['account_id', 'position'] }] }],
  keysOf: ({ position, type }) =>
    isPublicEventType(type)
      ? [{ collection: 'events', id: paddedPosition(position), begins: true, isFinal: true }]
      : [],
  evolve: (_, event) => (isPublicEventType(event.type) ? entryOf(event, event.type) : undefined),
};

/** One event, as the index has it. */
export interface EventDocument extends Document {
  readonly event_id: PublicEventId;
  readonly account_id: AccountId;
  /** Padded, so that its order as text is that of positions. */
  readonly position: string;
  readonly type: PublicEventType;
  /** The id of the event's record. */
  readonly object_id: string;
  /** The affiliate that it is about or that its record belongs to; null if there is none. */
  readonly affiliate_id: AffiliateId | null;
  readonly stream: StreamName;
  readonly revision: number;
}

const entryOf = (event: RecordedEvent, type: PublicEventType): EventDocument => ({
  event_id: publicEventId(event.id),
  account_id: accountOf(event),
  position: paddedPosition(event.position),
  type,
  object_id: objectIdOf(type, event.data),
  affiliate_id: 'affiliate_id' in event.data ? event.data.affiliate_id : null,
  stream: event.stream,
  revision: event.revision,
});
