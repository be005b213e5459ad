import {
  comparePositions,
  streams,
  type Checkpoint,
  type Position,
  type ProcessorStop,
} from '@refledger/contracts';
import type { ProcessorState, ResumeFrom } from '@refledger/domain';
import { ProcessorRefusal, type EventLog, type LoggedEvent } from '@refledger/event-log';
import type { PublicationSession } from './publication.js';

/** The name of the relay as an event processor. */
export const relayName = 'relay';

/** The checkpoint before the first event. */
export const startOf = (log: Pick<EventLog, 'id'>): Checkpoint => ({
  logId: log.id,
  position: '0' as Position,
  eventId: startEventId,
});

/** The position after which a relay with this checkpoint continues; undefined means the start. */
export const positionAfter = (checkpoint: Checkpoint | undefined): Position | undefined =>
  checkpoint?.eventId === startEventId ? undefined : checkpoint?.position;

/** Why a relay must not continue from its checkpoint; undefined if it may. */
export const faultOf = async (
  log: Pick<EventLog, 'id' | 'eventAt'>,
  { storeId, checkpoint }: Pick<PublicationSession, 'storeId' | 'checkpoint'>,
  { store_id }: ProcessorState,
): Promise<string | undefined> => {
  if (store_id !== undefined && store_id !== storeId)
    return `the log says that the relay's checkpoint is in ${store_id}, but this is ${storeId}: the checkpoint is lost, or this is another cluster`;
  if (checkpoint === undefined) return undefined;
  const { logId, position, eventId } = checkpoint;
  if (logId !== log.id)
    return `the relay's checkpoint belongs to log ${logId}, but this log is ${log.id}`;
  const event = eventId === startEventId ? { id: startEventId } : await log.eventAt(position);
  if (event?.id !== eventId)
    return `the log has ${event === undefined ? 'no event' : 'a different event'} at position ${position}, where the relay published event ${eventId}`;
  return undefined;
};

/** The finding of a relay that must not continue. */
export const stopOf = (
  { storeId, checkpoint }: Pick<PublicationSession, 'storeId' | 'checkpoint'>,
  { store_id }: ProcessorState,
): ProcessorStop => ({
  recorded_store: store_id ?? null,
  present_store: storeId,
  checkpoint:
    checkpoint === undefined
      ? []
      : [`${checkpoint.logId} ${checkpoint.position} ${checkpoint.eventId}`],
});

/**
 * The event after which an operator decided to continue; undefined means the start. For `head` it
 * is the decision's own event, so repeating this after a crash gives the same result. Throws
 * `ProcessorRefusal` if the log doesn't have the event.
 */
export const eventOfDecision = async (
  log: Pick<EventLog, 'eventAt' | 'head' | 'readStream'>,
  { from, revision }: { readonly from: ResumeFrom; readonly revision: number },
): Promise<LoggedEvent | undefined> => {
  if (from === 'start') return undefined;
  if (from === 'head') {
    for await (const [decision] of log.readStream(streams.processor(relayName), {
      from: revision,
      to: revision,
    }))
      if (decision !== undefined) return decision;
    throw new ProcessorRefusal('the log no longer has the decision to continue from the head');
  }
  const event = await log.eventAt(from);
  if (event !== undefined) return event;
  const head = await log.head();
  throw new ProcessorRefusal(
    `an operator decided to continue after position ${from}, ${head === undefined || comparePositions(from, head) > 0 ? 'which the log has not reached' : 'where the log has no event'}`,
  );
};

const startEventId = 'start';
