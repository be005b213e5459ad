import { comparePositions, type Position } from '@refledger/contracts';
import type { EventLog, LogBatch } from '@refledger/event-log';
import { waitFor } from '@refledger/testing';

/** A log that ends at a position for those who read it or follow it, until the test raises it. */
export interface LaggingLog {
  readonly log: EventLog;
  /** Undefined: everything is visible from now on. */
  raiseTo(end: Position | undefined): void;
}

/** The given log as it looks to a dispatcher that lags in following it. */
export const laggingLog = (log: EventLog, end: Position): LaggingLog => {
  let last: Position | undefined = end;
  const isVisible = (position: Position): boolean =>
    last === undefined || comparePositions(position, last) <= 0;
  const visibleIn = ({ events, through }: LogBatch): LogBatch => ({
    events: events.filter(({ position }) => isVisible(position)),
    through: last === undefined || isVisible(through) ? through : last,
  });
  return {
    raiseTo: (position) => void (last = position),
    log: {
      id: log.id,
      append: (...how) => log.append(...how),
      readStream: (...how) => log.readStream(...how),
      readBackwards: (...how) => log.readBackwards(...how),
      eventAt: (position) => log.eventAt(position),
      close: () => log.close(),

      async head() {
        const head = await log.head();
        return head === undefined || isVisible(head) ? head : last;
      },

      async *readAll(options) {
        for await (const batch of log.readAll(options)) yield visibleIn(batch);
      },

      async *subscribe(options) {
        for await (const { events } of log.subscribe(options)) {
          for (const event of events) {
            await waitFor(() => options.signal.aborted || isVisible(event.position));
            if (options.signal.aborted) return;
            yield { events: [event], through: event.position };
          }
        }
      },
    },
  };
};
