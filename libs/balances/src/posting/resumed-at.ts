import { comparePositions, streams, type Position } from '@refledger/contracts';
import type { ProcessorState } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import { postingName } from './posting-progress.js';

/**
 * Returns the position after which an operator decided to continue; undefined means from the
 * beginning. It is never after the decision. So whoever carries it out again, because the store was
 * lost or in a copy of the log, where positions differ, leaves out nothing that happened since.
 */
export const resumedAt = async (
  log: Pick<EventLog, 'readStream'>,
  { from, revision }: NonNullable<ProcessorState['resumed']>,
): Promise<Position | undefined> => {
  if (from === 'start') return undefined;
  const decision = { from: revision, to: revision };
  for await (const [event] of log.readStream(streams.processor(postingName), decision)) {
    if (event === undefined) break;
    const isBefore = from !== 'head' && comparePositions(from, event.position) <= 0;
    return isBefore ? from : event.position;
  }
  throw new Error(`the event log has lost decision ${revision} about ${postingName}`);
};
