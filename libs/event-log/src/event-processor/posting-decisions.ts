import { isStreamName, streams, type RecordedEvent } from '@refledger/contracts';
import {
  foldDecisions,
  postingName,
  type IgnoredTime,
  type PostingDecision,
  type PostingDecisions,
} from '@refledger/domain';
import { decodeEvent } from '../codec.js';
import type { EventLog } from '../event-log.js';

type Log = Pick<EventLog, 'readStream'>;

/** Reads the decisions of operators in the stream of posting, in their order. It is short. */
export const listPostingDecisions = async (log: Log): Promise<readonly PostingDecision[]> => {
  const decisions: PostingDecision[] = [];
  for await (const events of log.readStream(streams.processor(postingName)))
    for (const event of events) decisions.push(await decisionOf(log, decodeEvent(event)));
  return decisions;
};

/** Reads what operators have decided about posting, and about log time, so far. */
export const readPostingDecisions = async (log: Log): Promise<PostingDecisions> =>
  foldDecisions(await listPostingDecisions(log));

/**
 * Whether operators have decided something about posting after this revision of its stream. Costs
 * one read.
 */
export const isDecidedSince = async (log: Log, revision: number): Promise<boolean> => {
  for await (const [event] of log.readStream(streams.processor(postingName), {
    from: revision + 1,
    to: revision + 1,
  }))
    return event !== undefined;
  return false;
};

const decisionOf = async (log: Log, event: RecordedEvent): Promise<PostingDecision> => {
  const { position, revision } = event;
  const at = { revision, position };
  if (event.type === 'log_time.ignored')
    return { ...at, type: 'ignore time', ignoredTime: await ignoredTimeOf(log, event) };
  if (event.type === 'processor.skipped')
    return { ...at, type: 'skip', eventId: event.data.event_id };
  const lifts = event.type === 'processor.resumed' ? event.data.lifts : undefined;
  return lifts === undefined
    ? { ...at, type: 'resume' }
    : { ...at, type: 'lift', eventId: lifts.event_id };
};

type TimeIgnoredEvent = Extract<RecordedEvent, { readonly type: 'log_time.ignored' }>;

const ignoredTimeOf = async (
  log: Log,
  { data, position: through, metadata }: TimeIgnoredEvent,
): Promise<IgnoredTime> => {
  const { event_id, stream, revision, recorded_at: recordedAt } = data;
  // in a copied log, the event is at a different position from the one in the decision
  const place = { from: revision, to: revision };
  if (isStreamName(stream))
    for await (const [event] of log.readStream(stream, place))
      if (event?.id === event_id)
        return { from: event.position, through, recordedAt, decidedAt: metadata.recorded_at };
  throw new Error(
    `the event log has lost event ${event_id} of ${stream}, whose time was ignored at position ${through}`,
  );
};
