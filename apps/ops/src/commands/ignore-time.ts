import type { Command } from 'commander';
import { postingName } from '@refledger/balances';
import type { Position } from '@refledger/contracts';
import { countsForLogTime, isFarAhead } from '@refledger/domain';
import {
  readPostingDecisions,
  readDecisions,
  type EventLog,
  type LoggedEvent,
} from '@refledger/event-log';
import { positionArgument } from '../arguments.js';
import { decide } from '../decide.js';
import { exitCodes, UsageError, type ExitCode } from '../exit-codes.js';
import { counted } from '../format/counted.js';
import { eventParagraph, eventRow, rowHeading } from '../format/event-lines.js';
import {
  listedEvents,
  previewIgnoredTime,
  type IgnoredTimePreview,
} from '../preview-ignored-time.js';
import type { Ops, RunWith } from './ops.js';
import { withOpen } from '../with-open.js';

/** Adds `ops ignore-time` to the program. */
export const addIgnoreTime = (program: Command, runWith: RunWith): void => {
  program
    .command('ignore-time')
    .description(
      'Makes log time ignore an event, and all events recorded at its time or later, because a clock was ahead.',
    )
    .argument('<position>', "the event's position, as the service logs it", positionArgument)
    .option('--yes', 'ignore the events; without it, the command only shows what would happen')
    .option(
      '--force',
      "ignore them even if log time falls by more than 400 days or to nothing, or if the event is not ahead of this machine's clock",
    )
    .addHelpText('after', examples)
    .action(runWith(ignoreTime));
};

const examples = `
First make sure that the clock of this machine is right. If it is behind, correct it, and ignore nothing. The command
shows how far log time falls, and which events no longer count for it. With --yes, the log records the decision, which
cannot be undone: this event and every event recorded at its time or later, up to the decision, no longer count for the
dates of entries, for whether statements are final, or for as_of with a time. Unlike ops skip, it skips nothing: posting
continues by itself and posts these events, too. Entries posted before keep their dates. The projector rebuilds the minute
index (minute_index).

Examples:
  $ ops ignore-time 1234
  $ ops ignore-time 1234 --yes`;

interface ConfirmationOptions {
  readonly yes?: boolean;
  readonly force?: boolean;
}

const ignoreTime = async (
  { console, engines }: Ops,
  position: Position,
  { yes = false, force = false }: ConfirmationOptions,
): Promise<ExitCode> => {
  const event = await withOpen(engines.openLog(), (log) => log.eventAt(position));
  if (event === undefined) {
    console.report(
      `ops: the log has no event at position ${position}. Provide a position that ops tail shows.`,
    );
    return exitCodes.failure;
  }
  await console.print(`${event.stream}\n${eventParagraph(event)}\n`);
  const preview = await withOpen(engines.openLog(), (log) => previewOf(log, event, console.signal));
  if (preview !== undefined) {
    for (const line of linesOf(preview, event, console.width)) await console.print(line);
    requireConfirmed(preview, event, { yes, force });
  }
  const { isNew, served } = await decide(engines, {
    type: 'ignore_time',
    processor: postingName,
    event_id: event.id,
    position,
    stream: event.stream,
    revision: event.revision,
    recorded_at: event.metadata.recorded_at,
  });
  const ignored = `this event, and all events up to now that were recorded at ${event.metadata.recorded_at} or later`;
  await console.print(
    isNew
      ? `ignored for log time: ${ignored}. Posting continues${served ? '' : ' at its next start'}`
      : 'log time already ignores this event',
  );
  return exitCodes.success;
};

/** Undefined if the event was ignored before. Throws `UsageError` if it does not count. */
const previewOf = async (
  log: EventLog,
  event: LoggedEvent,
  signal: AbortSignal,
): Promise<IgnoredTimePreview | undefined> => {
  const { ignoredTimes } = (await readDecisions(log, postingName)).state;
  if (ignoredTimes.has(event.id)) return undefined;
  const decisions = await readPostingDecisions(log);
  if (!countsForLogTime(event, decisions))
    throw new UsageError(
      'this event does not count for log time. Provide the position that the log of the service and /health/ready name.',
    );
  return previewIgnoredTime(log, event, { decisions, signal });
};

const linesOf = (
  { before, after, events, count }: IgnoredTimePreview,
  { metadata }: LoggedEvent,
  width: number | undefined,
): readonly string[] => {
  const remaining =
    after === null ? 'nothing' : `${after} (by ${inDays(before, after).toFixed(1)} days)`;
  const counts = count === 1 ? 'counts' : 'count';
  return [
    `log time falls from ${before} to ${remaining}`,
    `${counted(count, 'event')} recorded at ${metadata.recorded_at} or later no longer ${counts} for it:`,
    rowHeading(width),
    ...events.map((each) => eventRow(each, width)),
    ...(count > listedEvents ? [`  and ${count - listedEvents} more`] : []),
    '',
  ];
};

/** Throws `UsageError` unless the operator has confirmed what would happen. */
const requireConfirmed = (
  preview: IgnoredTimePreview,
  event: LoggedEvent,
  { yes, force }: Required<ConfirmationOptions>,
): void => {
  const doubt = force ? undefined : doubtAbout(preview, event);
  const now = new Date().toISOString();
  if (doubt !== undefined)
    throw new UsageError(
      `${doubt}. Nothing was changed. The clock of this machine says ${now}: if that is wrong, correct it. Only if it is right, run the command again with --yes --force.`,
    );
  if (!yes)
    throw new UsageError(
      `nothing was changed. The clock of this machine says ${now}. Only if that is right, run the command again with --yes.`,
    );
};

/**
 * Why this machine's clock, rather than the clock that recorded the event, may be the wrong one.
 */
const doubtAbout = (
  { before, after }: IgnoredTimePreview,
  { metadata }: LoggedEvent,
): string | undefined => {
  if (after === null) return 'nothing would be left that counts for log time';
  if (inDays(before, after) > maxDays)
    return `log time would fall by more than ${maxDays} days, to ${after}`;
  return isFarAhead(metadata.recorded_at, Date.now())
    ? undefined
    : 'the event was not recorded more than 10 minutes ahead of the clock of this machine, so months that are final might change';
};

const maxDays = 400;

const inDays = (later: string, earlier: string): number =>
  (Date.parse(later) - Date.parse(earlier)) / 86_400_000;
