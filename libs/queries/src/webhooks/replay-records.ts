import type { ReplayRecord } from '@refledger/contracts';
import type { Replay } from '@refledger/delivery-store';

/** A replay as the API shows it. */
export const replayRecord = (replay: Replay): ReplayRecord => ({
  id: replay.id,
  object: 'replay',
  endpoint_id: replay.endpointId,
  since: replay.since,
  until: replay.until,
  types: replay.types === null ? null : [...replay.types],
  only: replay.only,
  status: replay.status,
  planned: replay.planned,
  succeeded: replay.succeeded,
  failed: replay.failed,
  at_position: replay.at,
  created_at: replay.createdAt,
  finished_at: replay.finishedAt,
});
