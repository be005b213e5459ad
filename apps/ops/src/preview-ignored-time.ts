import { comparePositions } from '@refledger/contracts';
import { countsForLogTime, logTimeAfter, type OutOfLogTime } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '@refledger/event-log';

/** The effect on log time if it ignores an event from now on. */
export interface IgnoredTimePreview {
  /** Log time now, and after the decision; null if nothing is left that counts. */
  readonly before: string;
  readonly after: string | null;
  /** The first events that no longer count, and how many there are. */
  readonly events: readonly LoggedEvent[];
  readonly count: number;
}

/** How many events a preview lists. */
export const listedEvents = 20;

/** Reads the log from its start. */
export const previewIgnoredTime = async (
  log: Pick<EventLog, 'readAll'>,
  event: LoggedEvent,
  { decisions, signal }: { readonly decisions: OutOfLogTime; readonly signal: AbortSignal },
): Promise<IgnoredTimePreview> => {
  let [before, after]: [string, string | null] = [event.metadata.recorded_at, null];
  const gone: LoggedEvent[] = [];
  let count = 0;
  for await (const { events } of log.readAll({ batchSize: 1_000 })) {
    signal.throwIfAborted();
    for (const each of events) {
      if (!countsForLogTime(each, decisions)) continue;
      before = logTimeAfter(before, each, decisions) ?? before;
      if (!goesWith(event, each)) after = logTimeAfter(after, each, decisions);
      else if (++count <= listedEvents) gone.push(each);
    }
  }
  return { before, after, events: gone, count };
};

/** Whether another event is ignored together with this one. */
const goesWith = ({ position, metadata }: LoggedEvent, other: LoggedEvent): boolean =>
  comparePositions(other.position, position) >= 0 &&
  other.metadata.recorded_at >= metadata.recorded_at;
