import { comparePositions, streams, type Position } from '@refledger/contracts';
import type { ProcessorState } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';

/**
 * Returns the position after which an operator decided to continue; undefined means from the
 * beginning. It is never after the decision. So if the decision is carried out again, because the
 * store was lost or in a copy of the log, where positions differ, nothing that has happened since
 * is left out.
 */
export const resumedAt = async (
  log: Pick<EventLog, 'readStream'>,
  processor: string,
  { from, revision }: NonNullable<ProcessorState['resumed']>,
): Promise<Position | undefined> => {
  if (from === 'start') return undefined;
  const decision = { from: revision, to: revision };
  for await (const [event] of log.readStream(streams.processor(processor), decision)) {
    if (event === undefined) break;
    const isBefore = from !== 'head' && comparePositions(from, event.position) <= 0;
    return isBefore ? from : event.position;
  }
  throw new Error(`the event log has lost decision ${revision} about ${processor}`);
};
