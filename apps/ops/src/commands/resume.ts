import { InvalidArgumentError, type Command } from 'commander';
import { postingName } from '@refledger/balances';
import { comparePositions, toPosition, type Position } from '@refledger/contracts';
import {
  ledgerProcessor,
  skippingHelp,
  processorsHelp,
  repairableTypes,
  requireProcessor,
  waitsForDecision,
} from '../arguments.js';
import { decide, decideAboutStop } from '../decide.js';
import type { OperatorEngines } from '../engines/engines.js';
import { exitCodes, UsageError, type ExitCode } from '../exit-codes.js';
import type { Ops, RunWith } from './ops.js';
import { withOpen } from '../with-open.js';

/** Adds `ops resume` to the program. */
export const addResume = (program: Command, runWith: RunWith): void => {
  program
    .command('resume')
    .description(
      'Decides where a stopped processor continues when its checkpoint belongs to another log or its store is missing.',
    )
    .argument('<processor>', 'the processor that will continue')
    .requiredOption(
      '--from <from>',
      'start, head, or the position after which to continue',
      fromArgument,
    )
    .addHelpText('after', examples)
    .action(runWith(resume));
};

const examples = `
Processors:
${processorsHelp}

  start       from the start of the log; the webhook-dispatcher plans all deliveries that its store lacks
  head        from the end of the log at the time of the decision; it skips all earlier events
  <position>  after this event; for posting and the end of a payout or a reservation, with this event

The webhook-dispatcher and the relay carry out a decision only if they wait for one, and only if nothing has changed meanwhile.
If there is nothing to decide, this command exits with 2.

The projector always continues from its read models' checkpoints, and rebuilds those whose checkpoint is not in the log.
For the projector, this command only triggers another attempt.

Posting, payout runs and the paid status never wait for this decision: they write nothing twice, so if their checkpoint is
not in the log, they start over. They carry out this decision immediately, even while they are running.

${skippingHelp}

Examples:
  $ ops resume webhook-dispatcher --from head
  $ ops resume webhook-dispatcher --from 1234
  $ ops resume posting --from start`;

type From = 'start' | 'head' | Position;

const fromArgument = (text: string): From => {
  const from = text === 'start' || text === 'head' ? text : toPosition(text);
  if (from === undefined)
    throw new InvalidArgumentError('It must be start, head, or a position in decimal digits.');
  return from;
};

const resume = async (
  { console, engines }: Ops,
  processor: string,
  { from }: { readonly from: From },
): Promise<ExitCode> => {
  requireProcessor(processor);
  await requireWithinLog(engines, from);
  const lifts = processor === postingName ? await payoutEventAt(engines, from) : undefined;
  const command = { type: 'resume' as const, processor, from, ...(lifts && { lifts }) };
  const { served } = waitsForDecision(processor)
    ? await decideAboutStop(engines, command)
    : await decide(engines, command);
  const what =
    lifts === undefined
      ? `continues ${placeOf(from)}`
      : `no longer skips position ${from}, and continues with it`;
  const continues = `recorded: ${processor} ${what}${served ? '' : ' at its next start'}`;
  const ledgers = ledgerProcessor(processor);
  const skips = ledgers !== undefined && from !== 'start' && lifts === undefined;
  await console.print(skips ? `${continues}\n${ledgers.ofSkipping}` : continues);
  return exitCodes.success;
};

const placeOf = (from: From): string =>
  from === 'start' || from === 'head' ? `from the ${from}` : `after position ${from}`;

/**
 * The event at a position if it is one that posting can still carry out whatever it has posted
 * since: the end of a payout, or a reservation.
 */
const payoutEventAt = async (engines: OperatorEngines, from: From) => {
  if (from === 'start' || from === 'head') return undefined;
  const event = await withOpen(engines.openLog(), (log) => log.eventAt(from));
  if (event === undefined || !repairableTypes.has(event.type)) return undefined;
  const { id: event_id, stream, revision } = event;
  return { event_id, stream, revision };
};

/** Throws `UsageError` for a position beyond the end of the log. */
const requireWithinLog = async (engines: OperatorEngines, from: From): Promise<void> => {
  if (from === 'start' || from === 'head') return;
  const head = await withOpen(engines.openLog(), (log) => log.head());
  if (head === undefined || comparePositions(from, head) > 0)
    throw new UsageError(
      `position ${from} is beyond the end of the log (${head ?? 'empty'}). Give a position that ops tail shows.`,
    );
};
