import { comparePositions, streams, type Position } from '@refledger/contracts';
import type { ProcessorState } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import type { StoredProgress } from './checkpoints.js';

type Log = Pick<EventLog, 'readStream' | 'readAll'>;
type LastResume = NonNullable<ProcessorState['resumed']>;

/**
 * Returns the position after which an operator decided to continue; undefined means from the
 * start. A decision that lifts a skip only goes back: to the event, or to the stored checkpoint
 * if that is before it, so that it leaves nothing out.
 */
export const resumedAt = async (
  log: Log,
  processor: string,
  { resumed, stored }: { readonly resumed: LastResume; readonly stored: StoredProgress },
): Promise<Position | undefined> => {
  const { checkpoint, resumedRevision } = stored;
  const isCarriedOut = checkpoint !== undefined && resumed.fromRevision <= resumedRevision;
  const base = isCarriedOut ? checkpoint.position : await decidedAt(log, processor, resumed);
  const pending = resumed.lifts.filter(({ revision }) => revision > resumedRevision);
  if (base === undefined || pending.length === 0) return base;
  const before = await positionBefore(log, new Set(pending.map(({ event_id }) => event_id)));
  return before === undefined || comparePositions(before, base) < 0 ? before : base;
};

/**
 * The position that the last decision names. It is never after the decision. So if the decision is
 * carried out again, because the store was lost or in a copy of the log, where positions differ,
 * nothing that has happened since is omitted.
 */
const decidedAt = async (
  log: Log,
  processor: string,
  { from, fromRevision }: LastResume,
): Promise<Position | undefined> => {
  if (from === 'start') return undefined;
  const decision = { from: fromRevision, to: fromRevision };
  for await (const [event] of log.readStream(streams.processor(processor), decision)) {
    if (event === undefined) break;
    const isBefore = from !== 'head' && comparePositions(from, event.position) <= 0;
    return isBefore ? from : event.position;
  }
  throw new Error(`the event log has lost decision ${fromRevision} about ${processor}`);
};

/**
 * The position before the first of these events. Reads the log from its start, since a log can
 * only be read forward.
 */
const positionBefore = async (
  log: Log,
  ids: ReadonlySet<string>,
): Promise<Position | undefined> => {
  let before: Position | undefined;
  for await (const { events } of log.readAll({ batchSize: 1_000 }))
    for (const event of events) {
      if (ids.has(event.id)) return before;
      before = event.position;
    }
  throw new Error(`the event log has lost ${[...ids].join(', ')}, whose skip was lifted`);
};
