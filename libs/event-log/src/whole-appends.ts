import type { LogBatch, LoggedEvent } from './event-log.js';

/**
 * Moves the ends of batches to the ends of appends: holds back the first events of an append until
 * its last one has been read.
 */
export async function* wholeAppends(batches: AsyncIterable<LogBatch>): AsyncGenerator<LogBatch> {
  let held: readonly LoggedEvent[] = [];
  for await (const { events, through } of batches) {
    const read = [...held, ...events];
    const whole = read.slice(0, 1 + read.findLastIndex(endsItsAppend));
    held = read.slice(whole.length);
    const last = whole.at(-1);
    if (held.length === 0) yield { events: whole, through };
    else if (last !== undefined) yield { events: whole, through: last.position };
  }
}

const endsItsAppend = ({ metadata }: LoggedEvent): boolean => metadata.append_continues !== true;
