import type { Position } from '@refledger/contracts';
import { CommandHandler } from '@refledger/application';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { UsageError } from '../exit-codes.js';
import { appendsOf, type Append } from './appends-of.js';
import { sameEvent } from './position-translation.js';
import type { Work } from '../progress.js';

/** Whether an event is copied. Each log has its own first event, which holds its id. */
export const isCopied = ({ type }: Pick<LoggedEvent, 'type'>): boolean => type !== 'log.opened';

/**
 * How far an earlier run copied: the source's position of the target's last event. Throws
 * `UsageError` when the source does not have that event, because the target then holds other data.
 */
export const copiedSoFar = async (
  source: EventLog,
  target: EventLog,
): Promise<Position | undefined> => {
  const head = await target.head();
  const last = head === undefined ? undefined : await target.eventAt(head);
  if (last === undefined || !isCopied(last)) return undefined;
  const original = await sameEvent(source, last);
  if (original === undefined)
    throw foreignDataError(
      `${last.type} in ${last.stream}, recorded ${last.metadata.recorded_at}, is not in the source`,
    );
  return original.position;
};

/** The source and the target of `copyEvents`. */
export interface CopyEvents extends Work {
  readonly source: EventLog;
  readonly target: EventLog;
  readonly after: Position | undefined;
}

/**
 * Appends every event after a position to the target, one append at a time, so that the order of
 * all events is the source's.
 */
export const copyEvents = async ({
  source,
  target,
  after,
  progress,
  signal,
}: CopyEvents): Promise<void> => {
  const commands = new CommandHandler(target);
  const head = await source.head();
  for await (const { events, through } of source.readAll({ after })) {
    for (const each of appendsOf(events.filter(isCopied))) {
      signal.throwIfAborted();
      await append(commands, each);
    }
    progress.update(through, head);
  }
};

const append = async (commands: CommandHandler, events: Append): Promise<void> => {
  const [{ stream, revision }] = events;
  const appended = await commands.appendAt(
    stream,
    events,
    revision === 0 ? undefined : revision - 1,
  );
  if (appended === undefined)
    throw foreignDataError(`${stream} is not at the revision before ${revision}`);
};

const foreignDataError = (what: string): UsageError =>
  new UsageError(
    `the target holds data that is not from the source: ${what}. Stop the services that write there, and copy into an EventStoreDB and a database without Refledger data.`,
  );
