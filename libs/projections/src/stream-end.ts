import type { AccountId, EventId, Position, Recorded } from '@refledger/contracts';
import type { Document } from '@refledger/read-store';

/** The last event of a stream, from which reading can continue. */
export interface StreamEndDocument extends Document {
  readonly account_id: AccountId;
  readonly revision: number;
  readonly position: Position;
  readonly event_id: EventId;
  readonly recorded_at: string;
}

/** The document of a stream that ends with this event. */
export const streamEnd = ({ revision, position, id, metadata }: Recorded): StreamEndDocument => ({
  // Every stream whose end a projection stores belongs to an account.
  account_id: metadata.account_id as AccountId,
  revision,
  position,
  event_id: id,
  recorded_at: metadata.recorded_at,
});
