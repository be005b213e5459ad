import type { Snapshot } from '@refledger/event-log';
import type { StreamEndDocument } from '@refledger/projections';

/** The snapshot of a stream as of the last of its events that a read model has. */
export const snapshotAt = <State>(end: StreamEndDocument, state: State): Snapshot<State> => ({
  state,
  accountId: end.account_id,
  revision: end.revision,
  position: end.position,
  recordedAt: end.recorded_at,
  lastEventId: end.event_id,
});
