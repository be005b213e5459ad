import type { Command } from 'commander';
import { postingName } from '@refledger/balances';
import type { Position } from '@refledger/contracts';
import { isReadable, type EventLog, type LoggedEvent } from '@refledger/event-log';
import type { Build, ReadStore } from '@refledger/read-store';
import { projectionNames, projectorName } from '@refledger/projections';
import {
  ledgerProcessor,
  skippingHelp,
  positionArgument,
  processorsHelp,
  repairableTypes,
  requireProcessor,
} from '../arguments.js';
import { decide } from '../decide.js';
import { exitCodes, UsageError, type ExitCode } from '../exit-codes.js';
import { eventParagraph } from '../format/event-lines.js';
import type { Ops, RunWith } from './ops.js';
import { withOpen } from '../with-open.js';

/** Adds `ops skip` to the program. */
export const addSkip = (program: Command, runWith: RunWith): void => {
  program
    .command('skip')
    .description(
      'Makes a processor skip an event that it stopped at, now and in every later rebuild.',
    )
    .argument('<processor>', 'the processor that skips the event')
    .argument('<position>', "the event's position, as the service logs it", positionArgument)
    .option('--force', 'skip the event even if the processor has not stopped at it')
    .addHelpText('after', examples)
    .action(runWith(skip));
};

const examples = `
Processors:
${processorsHelp}

The log records the decision with the event's id. It cannot be undone: every later rebuild skips the event, too, so totals
and lists lack it. The exception is the end of a payout, or a reservation, that posting skips (below). A stopped processor
continues by itself. If none has stopped at this event, use --force.

${skippingHelp}

Examples:
  $ ops skip projector 1234
  $ ops skip posting 1234`;

const skip = async (
  { console, engines }: Ops,
  processor: string,
  position: Position,
  { force = false }: { readonly force?: boolean },
): Promise<ExitCode> => {
  requireProcessor(processor);
  const event = await withOpen(engines.openLog(), (log) => log.eventAt(position));
  if (event === undefined) {
    console.report(
      `ops: the log has no event at position ${position}. Give a position that ops tail shows.`,
    );
    return exitCodes.failure;
  }
  await console.print(`${event.stream}\n${eventParagraph(event)}\n`);
  const stopped =
    force ||
    (await withOpen(engines.openLog(), (log) =>
      withOpen(engines.openStore(), (store) => isStoppedAt(processor, event, log, store)),
    ));
  if (!stopped)
    throw new UsageError(
      `${processor} has not stopped at this event. Use --force to skip it permanently anyway.`,
    );
  const { isNew, served } = await decide(engines, {
    type: 'skip',
    processor,
    event_id: event.id,
    position,
  });
  await console.print(
    isNew
      ? `${processor} will skip this event${served ? '' : ' from its next start'}`
      : `${processor} already skips this event`,
  );
  for (const line of consequencesOf(processor, event)) await console.print(line);
  return exitCodes.success;
};

/** Advice for an operator who has skipped an event. */
const consequencesOf = (processor: string, { type, position }: LoggedEvent): readonly string[] => {
  const ofSkipping = ledgerProcessor(processor)?.ofSkipping;
  if (ofSkipping === undefined) return [];
  if (processor !== postingName || !repairableTypes.has(type)) return [ofSkipping];
  const what = type === 'balance.reserved' ? 'a reservation' : 'the end of a payout';
  return [
    ofSkipping,
    `This event is ${what}. To carry it out after all: ops resume posting --from ${position}`,
  ];
};

/**
 * Whether a processor cannot get past an event: this release cannot read it, or, for the projector
 * and the ledger's processors, a build has stopped right before it.
 */
const isStoppedAt = async (
  processor: string,
  event: LoggedEvent,
  log: EventLog,
  store: ReadStore,
): Promise<boolean> => {
  if (!isReadable(event)) return true;
  for (const name of buildsOf(processor))
    if (await isStoppedRightBefore(event, log, await store.builds(name))) return true;
  return false;
};

/** The names of the builds that hold a processor's checkpoints. */
const buildsOf = (processor: string): readonly string[] => {
  if (processor === projectorName) return projectionNames;
  const builds = ledgerProcessor(processor)?.builds;
  return builds === undefined ? [] : [builds];
};

const isStoppedRightBefore = async (
  event: LoggedEvent,
  log: EventLog,
  builds: readonly Build[],
): Promise<boolean> => {
  for (const { logId, checkpoint } of builds) {
    if (logId === log.id && (await nextAfter(log, checkpoint?.position))?.id === event.id)
      return true;
  }
  return false;
};

/** The first event after a position; undefined at the end of the log. */
const nextAfter = async (
  log: EventLog,
  after: Position | undefined,
): Promise<LoggedEvent | undefined> => {
  for await (const { events } of log.readAll({ after, batchSize: 1 })) return events[0];
  return undefined;
};
