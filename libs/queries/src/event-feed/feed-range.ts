import {
  comparePositions,
  DomainError,
  laterOf,
  publicEventId,
  type EventFeedQuery,
  type Position,
} from '@refledger/contracts';
import type { Consistency, Reader } from '@refledger/application';
import type { EventLog } from '@refledger/event-log';
import { pastTime, positionAt, type AsOfParts } from '../history/as-of.js';
import { beginning, lastPossible, positionBefore, type PositionRange } from './positions.js';

/** What is needed to find the positions of a range. */
export interface FeedRangeParts extends AsOfParts {
  readonly log: Pick<EventLog, 'eventAt'>;
  readonly consistency: Pick<Consistency, 'logId' | 'isBeyondTheLog' | 'settleLog' | 'readHead'>;
}

/**
 * The range that a request names by positions, times and the event it continues from. Throws
 * `validation_failed` for a position of another log or ahead of this one, and for a time ahead of
 * the clock.
 */
export const feedRange = async (
  { log_id, after, after_id, before, since, until }: EventFeedQuery,
  reader: Reader,
  parts: FeedRangeParts,
): Promise<PositionRange> => {
  await requireLog(log_id, parts);
  if (after !== undefined) await requirePosition(after as Position, after_id, reader, parts);
  const now = parts.commands.instant();
  const from = since && (await positionAt(pastTime(since, now, sinceBound) - 1, reader, parts));
  // until a time that is to come, nothing is left out
  const to =
    until !== undefined && Date.parse(until) <= Date.parse(now)
      ? ((await positionAt(Date.parse(until), reader, parts)) ?? beginning)
      : lastPossible;
  const end = before === undefined ? lastPossible : positionBefore(before as Position);
  return {
    after: laterOf(after as Position | undefined, from as Position | undefined) ?? beginning,
    through: comparePositions(to, end) < 0 ? to : end,
  };
};

const sinceBound = { name: 'since', path: 'since' };

/** Throws unless the positions of the request belong to this log. */
const requireLog = async (logId: string | undefined, parts: FeedRangeParts): Promise<void> => {
  if (logId === undefined || logId === parts.consistency.logId) return;
  throw await refused(
    'log_id',
    'unknown',
    `log_id is ${JSON.stringify(logId)}, but the service's log is ${parts.consistency.logId} now, in which positions are others. Continue with since, from the time of the last event that you have.`,
    parts,
  );
};

/** Throws unless the log has reached the position, and has the named event there. */
const requirePosition = async (
  after: Position,
  afterId: string | undefined,
  reader: Reader,
  parts: FeedRangeParts,
): Promise<void> => {
  if (await parts.consistency.isBeyondTheLog(after))
    throw await refused(
      'after',
      'too_large',
      `after is ${after}, which is beyond the end of the event log. If the log was restored from a backup, continue with since, from the time of the last event that you have.`,
      parts,
    );
  await parts.consistency.settleLog(reader, after);
  if (afterId === undefined) return;
  const event = after === beginning ? undefined : await parts.log.eventAt(after);
  if (event === undefined || publicEventId(event.id) !== afterId)
    throw await refused(
      'after_id',
      'unknown',
      `after_id is ${afterId}, but the event log has ${event === undefined ? 'no event' : 'another event'} at position ${after}. If the log was restored from a backup, continue with since, from the time of the last event that you have.`,
      parts,
    );
};

/** The error for a position to continue from that is not in the log, with what a client can decide by. */
const refused = async (
  path: string,
  code: string,
  message: string,
  { consistency }: FeedRangeParts,
): Promise<DomainError> =>
  new DomainError('validation_failed', message, {
    errors: [{ path, code, message }],
    log_id: consistency.logId,
    head: (await consistency.readHead()) ?? beginning,
  });
