import type { ClaimedAppend, StreamName } from '@refledger/contracts';
import type { NewEvent } from '@refledger/event-log';

/**
 * The append of events to a stream, in the form in which a claim holds it. `revision` is the
 * stream's when the events were decided; undefined for a new stream.
 */
export const claimedAppend = (
  stream: StreamName,
  events: readonly NewEvent[],
  revision: number | undefined,
): ClaimedAppend => ({
  stream,
  expected_revision: revision ?? null,
  events: events.map(({ id, type, data, metadata }) => ({
    id,
    type,
    data: data as Record<string, unknown>,
    metadata,
  })),
});
