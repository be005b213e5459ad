import { setTimeout as sleep } from 'node:timers/promises';
import { processorBatchSize, type LogBatch } from '@refledger/event-log';

/**
 * A batch costs nearly the same whatever its size, so a linger this long lets more events join it.
 * It is also the longest delay for a reader that waits for one of them.
 */
const maxMs = 5;
const msPerEvent = 2;

/**
 * How long to linger after a batch of this many events, in milliseconds. A single event hardly
 * delays the next, and after a full batch more events are ready already.
 */
export const lingerMs = (events: number): number =>
  events >= processorBatchSize ? 0 : Math.min(maxMs, msPerEvent * events);

/** Lingers after a processor's batch. */
export const lingerAfter = async ({ events }: Pick<LogBatch, 'events'>): Promise<void> => {
  const ms = lingerMs(events.length);
  if (ms > 0) await sleep(ms);
};
