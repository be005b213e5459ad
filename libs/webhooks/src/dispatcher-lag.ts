import type { Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { DispatcherLag } from './dispatcher-reports.js';

/** How far `at` is behind the head of the log. Undefined means the start of the log. */
export const lagBehind = async (
  log: Pick<EventLog, 'head' | 'readAll'>,
  at: Position | undefined,
  now: number,
): Promise<DispatcherLag> => {
  const head = await log.head();
  if (head === undefined || head === at) return none;
  for await (const { events } of log.readAll({ after: at, batchSize: 1 })) {
    const [next] = events;
    if (next !== undefined)
      return {
        positions: BigInt(head) - BigInt(at ?? 0),
        seconds: Math.max(0, (now - Date.parse(next.metadata.recorded_at)) / 1_000),
      };
  }
  return none;
};

const none: DispatcherLag = { positions: 0n, seconds: 0 };
