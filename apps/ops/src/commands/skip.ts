import type { Command } from 'commander';
import type { Position } from '@refledger/contracts';
import { positionArgument } from '../arguments.js';
import { decide } from '../decide.js';
import { exitCodes, UsageError, type ExitCode } from '../exit-codes.js';
import { processorsHelp, requireProcessor } from '../processors.js';
import { eventParagraph } from '../format/event-lines.js';
import type { Ops, RunWith } from './ops.js';
import { isStoppedAt } from '../stopped-at.js';
import { withOpen } from '../with-open.js';

export const addSkip = (program: Command, runWith: RunWith): void => {
  program
    .command('skip')
    .description(
      'Lets a processor leave an event out, now and in every later rebuild: for one that stopped at an event it cannot get past.',
    )
    .argument('<processor>', 'who leaves it out')
    .argument('<position>', "the event's position, as the service's log names it", positionArgument)
    .option('--force', 'also when the processor has not stopped at this event')
    .addHelpText('after', examples)
    .action(runWith(skip));
};

const examples = `
Processors:
${processorsHelp}

The decision is noted in the log by the event's id and can't be taken back: the event is left out of every later rebuild too, so totals and
lists lack it. A processor that stopped goes on by itself. Where none has stopped at this event, only --force skips it.

Example:
  $ ops skip projector 1234`;

const skip = async (
  { console, engines }: Ops,
  processor: string,
  position: Position,
  { force = false }: { readonly force?: boolean },
): Promise<ExitCode> => {
  requireProcessor(processor);
  const event = await withOpen(engines.openLog(), (log) => log.eventAt(position));
  if (event === undefined) {
    console.report(`ops: the log has no event at position ${position}`);
    return exitCodes.found;
  }
  await console.print(`${event.stream}\n${eventParagraph(event)}\n`);
  const stopped =
    force ||
    (await withOpen(engines.openLog(), (log) =>
      withOpen(engines.openStore(), (store) => isStoppedAt(processor, event, log, store)),
    ));
  if (!stopped)
    throw new UsageError(
      `${processor} has not stopped at this event; --force leaves it out all the same, for ever`,
    );
  const { isNew, served } = await decide(engines, {
    type: 'skip',
    processor,
    event_id: event.id,
    position,
  });
  await console.print(
    isNew
      ? `${processor} leaves this event out${served ? '' : ' from its next start on'}`
      : `${processor} left this event out already`,
  );
  return exitCodes.fine;
};
