import { accountOf, type AccountId, type LogId } from '@refledger/contracts';
import { logTimeAfter, owedChangeOf, type OutOfLogTime, type Posting } from '@refledger/domain';
import { decodeEvent, PoisonEvent, type LoggedEvent } from '@refledger/event-log';
import { EventAhead } from './event-ahead.js';
import { postableFrom } from './log-time.js';

/** An entry to be posted, and the account that owes it. */
export interface OwnedPosting {
  readonly accountId: AccountId;
  readonly posting: Posting;
}

/** What the events of a batch cause, up to the first one that posting cannot get past. */
export interface PostingsOfBatch {
  readonly postings: readonly OwnedPosting[];
  /** The last event before the failure; undefined if there is none. */
  readonly last: LoggedEvent | undefined;
  /** Log time after it. */
  readonly logTime: string | null;
  readonly failure: PoisonEvent | undefined;
}

export interface PostingContext extends OutOfLogTime {
  readonly logId: LogId;
  /** Log time before the batch. */
  readonly logTime: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Returns the entries that the events of a batch cause. */
export const postingsOf = (
  events: readonly LoggedEvent[],
  { logId, logTime: before, now, ...out }: PostingContext,
): PostingsOfBatch => {
  const postings: OwnedPosting[] = [];
  let last: LoggedEvent | undefined;
  let logTime = before;
  for (const event of events) {
    const failed = (failure: PoisonEvent) => ({ postings, last, logTime, failure });
    const from = postableFrom(event, out);
    if (from !== undefined && from > now) return failed(new EventAhead(event, from));
    const timeThere = logTimeAfter(logTime, event, out);
    try {
      if (!out.skipped.has(event.id)) postings.push(...postingOf(event, timeThere, logId));
    } catch (error) {
      return failed(new PoisonEvent(event, error));
    }
    logTime = timeThere;
    last = event;
  }
  return { postings, last, logTime, failure: undefined };
};

const postingOf = (
  logged: LoggedEvent,
  logTime: string | null,
  log_id: LogId,
): readonly OwnedPosting[] => {
  if (!mayChangeOwed(logged)) return [];
  const event = decodeEvent(logged);
  const change = owedChangeOf(event);
  if (change === undefined) return [];
  const { position, id: event_id, stream, revision, metadata } = event;
  const source = { log_id, position, event_id, stream, revision };
  const posting = { ...change, source, posted_at: logTime ?? metadata.recorded_at };
  return [{ accountId: accountOf(event), posting }];
};

/** Most events are of no interest, and are not decoded. */
const mayChangeOwed = ({ type }: LoggedEvent): boolean =>
  type.startsWith('conversion.') || type.startsWith('adjustment.');
