import { setTimeout as sleep } from 'node:timers/promises';
import type { LogBatch } from '@refledger/event-log';

/** A batch costs most of what it costs whatever its size: this long a wait lets more events come together, and no longer may reads lag behind for it. */
const mostMs = 5;
const msPerEvent = 2;
/** So many at once say that there is a backlog, which is not waited for. */
const backlog = 100;

/** How long to rest after a batch: one event alone hardly delays the next, many under load come together. */
export const restMs = ({ events }: Pick<LogBatch, 'events'>): number => (events.length >= backlog ? 0 : Math.min(mostMs, msPerEvent * events.length));

export const restAfter = async (batch: LogBatch): Promise<void> => {
  const ms = restMs(batch);
  if (ms > 0) await sleep(ms);
};
