import type { LogBatch, LoggedEvent } from './event-log.js';

/**
 * Moves the ends of batches to the ends of appends: holds back the first events of an append until
 * its last one has been read.
 */
export async function* wholeAppends(batches: AsyncIterable<LogBatch>): AsyncGenerator<LogBatch> {
  let held: readonly LoggedEvent[] = [];
  for await (const { events, through } of batches) {
    const read = [...held, ...events];
    const whole = startingAppends(read);
    held = read.slice(whole.length);
    const last = whole.at(-1);
    if (held.length === 0) yield { events: whole, through };
    else if (last !== undefined) yield { events: whole, through: last.position };
  }
}

/** The whole appends with which the events start. */
export const startingAppends = (events: readonly LoggedEvent[]): readonly LoggedEvent[] =>
  events.slice(0, 1 + events.findLastIndex(endsItsAppend));

/**
 * Splits a batch into halves that also end where an append ends. There is only one half if the
 * batch is a single append.
 */
export const halvesOf = ({ events, through }: LogBatch): readonly LogBatch[] => {
  const half = startingAppends(events.slice(0, Math.ceil(events.length / 2)));
  const first = half.length > 0 ? half : events.slice(0, 1 + events.findIndex(endsItsAppend));
  const last = first.at(-1);
  if (last === undefined || first.length === events.length) return [{ events, through }];
  return [
    { events: first, through: last.position },
    { events: events.slice(first.length), through },
  ];
};

const endsItsAppend = ({ metadata }: LoggedEvent): boolean => metadata.append_continues !== true;
