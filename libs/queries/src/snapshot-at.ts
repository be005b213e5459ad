import type { Snapshot } from '@refledger/application';
import type { StreamEndDocument } from '@refledger/projections';

/** The snapshot of a stream as of its last event that a read model reflects. */
export const snapshotAt = <State>(end: StreamEndDocument, state: State): Snapshot<State> => ({
  state,
  accountId: end.account_id,
  revision: end.revision,
  position: end.position,
  recordedAt: end.recorded_at,
  lastEventId: end.event_id,
});
