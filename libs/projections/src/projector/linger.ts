import { setTimeout as sleep } from 'node:timers/promises';
import { processorBatchSize, type LogBatch } from '@refledger/event-log';

/**
 * A batch costs nearly the same whatever its size, so a linger lets more events join it. It is also
 * how long a reader that waits for one of them may be delayed: up to 5 ms, and up to 20 ms while
 * events come so fast that larger batches save much of the work.
 */
const shortMs = 5;
const longMs = 20;
const msPerEvent = 2;
const eventsPerMs = 5;

/**
 * How long to linger after a batch of this many events, in milliseconds. A single event hardly
 * delays the next, and after a full batch more events are ready already.
 */
export const lingerMs = (events: number): number => {
  if (events >= processorBatchSize) return 0;
  const short = Math.min(shortMs, msPerEvent * events);
  return Math.min(longMs, Math.max(short, events / eventsPerMs));
};

/** Lingers after a processor's batch. */
export const lingerAfter = async ({ events }: Pick<LogBatch, 'events'>): Promise<void> => {
  const ms = lingerMs(events.length);
  if (ms > 0) await sleep(ms);
};
