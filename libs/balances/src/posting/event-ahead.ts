import { PoisonEvent, type LoggedEvent } from '@refledger/event-log';

/**
 * The clock of an event's writer was far ahead of the ledger's, and log time must not follow it.
 * Posting continues once its own clock gets there.
 */
export class EventAhead extends PoisonEvent {
  constructor(event: LoggedEvent, continuesAt: number) {
    const at = new Date(continuesAt).toISOString();
    super(
      event,
      new Error(
        `it was recorded at ${event.metadata.recorded_at}, more than 10 minutes ahead of the ledger's clock. Posting continues at ${at}`,
      ),
      continuesAt,
    );
    this.name = 'EventAhead';
  }
}
