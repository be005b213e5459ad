import { toInstant } from '@refledger/contracts';
import { countsForLogTime, isFarAhead, maxAheadMs, type OutOfLogTime } from '@refledger/domain';
import { PoisonEvent, type EventLog, type LoggedEvent } from '@refledger/event-log';

/**
 * Log time is far ahead of the ledger's clock, and entries must not be dated with it. No one knows
 * which of the two clocks is wrong. Posting continues once the ledger's clock gets there, or once
 * an operator has taken the event out of log time.
 */
class EventAhead extends PoisonEvent {
  constructor(
    /** The first event of the log that is far ahead. */
    event: LoggedEvent,
    /** Log time (RFC 3339), and the ledger's clock (milliseconds since 1970). */
    logTime: string,
    now: number,
  ) {
    const { position, metadata } = event;
    const continuesAt = Date.parse(logTime) - maxAheadMs;
    const advice = `First of all, correct the clock of this machine if it is wrong: posting then continues by itself. If the clock that recorded the event was wrong, make log time ignore the event: ops ignore-time ${position}`;
    super(
      event,
      new Error(
        `it was recorded at ${metadata.recorded_at}, and this machine's clock says ${toInstant(now)}. Log time (${logTime}) is more than 10 minutes ahead. Posting continues at ${toInstant(continuesAt)} by this clock. ${advice}`,
      ),
      { continuesAt, advice },
    );
    this.name = 'EventAhead';
  }
}

/** Facts about log time when it is found to be far ahead. */
export interface TimeAhead {
  readonly logTime: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly excluded: OutOfLogTime;
}

/**
 * The error for log time that is far ahead of a clock. It names the first event of the log that
 * counts and is far ahead, which it finds by reading the log from its start.
 */
export const eventAhead = async (
  log: Pick<EventLog, 'readAll'>,
  { logTime, now, excluded }: TimeAhead,
): Promise<Error> => {
  for await (const { events } of log.readAll({ batchSize: 1_000 }))
    for (const event of events)
      if (isFarAhead(event.metadata.recorded_at, now) && countsForLogTime(event, excluded))
        return new EventAhead(event, logTime, now);
  // log time started with a decision: there is no event to exclude
  return new Error(
    `log time is ${logTime}, but this machine's clock says ${toInstant(now)}. Correct the clock of this machine`,
  );
};
