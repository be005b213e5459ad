import {
  accountOf,
  type AccountId,
  type EventId,
  type Position,
  type RecordedEvent,
} from '@refledger/contracts';
import type { Document } from '@refledger/read-store';

/** The last event of a stream, from which reading can continue. */
export interface StreamEndDocument extends Document {
  readonly account_id: AccountId;
  readonly revision: number;
  readonly position: Position;
  readonly event_id: EventId;
  readonly recorded_at: string;
}

export const streamEnd = (event: RecordedEvent): StreamEndDocument => ({
  account_id: accountOf(event),
  revision: event.revision,
  position: event.position,
  event_id: event.id,
  recorded_at: event.metadata.recorded_at,
});
