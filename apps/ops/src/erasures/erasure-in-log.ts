import { erasedType } from '@refledger/application';
import { streams, type Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { ErasedRow } from './erasure-entry.js';

/** What a log says about an affiliate that is erased in the key store. */
export type ErasureInLog =
  /** The position of its `affiliate.erased`, which may not be that of the row. */
  | { readonly state: 'erased'; readonly position: Position }
  /** The log was restored to before the erasure, or to before the affiliate existed. */
  | { readonly state: 'not erased' | 'absent' };

export const erasureInLog = async (
  log: Pick<EventLog, 'eventAt' | 'readStream'>,
  { owner, position, eventId }: Pick<ErasedRow, 'owner' | 'position' | 'eventId'>,
): Promise<ErasureInLog> => {
  const stream = streams.affiliate(owner);
  const event = await log.eventAt(position);
  if (event?.id === eventId && event.stream === stream) return { state: 'erased', position };
  // the log was restored and the erasure recorded again, or the log was copied
  let state: 'absent' | 'not erased' = 'absent';
  for await (const events of log.readStream(stream)) {
    const erased = events.find(({ type }) => type === erasedType);
    if (erased !== undefined) return { state: 'erased', position: erased.position };
    if (events.length > 0) state = 'not erased';
  }
  return { state };
};
