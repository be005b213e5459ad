import { PoisonEvent, type LoggedEvent } from '@refledger/event-log';

/**
 * The clock of an event's writer was far ahead of the ledger's, and log time must not follow it.
 * Posting continues once the ledger's clock gets there, or once an operator has taken the event out
 * of log time.
 */
export class EventAhead extends PoisonEvent {
  constructor(event: LoggedEvent, continuesAt: number) {
    const at = new Date(continuesAt).toISOString();
    const { position, metadata } = event;
    const advice = `Correct the clock that was ahead. To post now, exclude this event from log time: ops discount-time ${position}`;
    super(
      event,
      new Error(
        `it was recorded at ${metadata.recorded_at}, more than 10 minutes ahead of the ledger's clock. Posting continues at ${at}. ${advice}`,
      ),
      { continuesAt, advice },
    );
    this.name = 'EventAhead';
  }
}
