import { InvalidArgumentError, type Command } from 'commander';
import { comparePositions, toPosition, type Position } from '@refledger/contracts';
import { decide } from '../decide.js';
import { exitCodes, UsageError, type ExitCode } from '../exit-codes.js';
import { processorsHelp, requireProcessor } from '../processors.js';
import type { Ops, RunWith } from './ops.js';
import { withOpen } from '../with-open.js';

export const addResume = (program: Command, runWith: RunWith): void => {
  program
    .command('resume')
    .description(
      'Decides where a processor goes on that refuses to: its place is of another log, or its store is missing.',
    )
    .argument('<processor>', 'who goes on')
    .requiredOption(
      '--from <place>',
      'start, head, or the position after which to go on',
      placeArgument,
    )
    .addHelpText('after', examples)
    .action(runWith(resume));
};

const examples = `
Processors:
${processorsHelp}

  start       from the beginning of the log: the webhook-dispatcher plans everything again that its store does not know
  head        from the end of the log as it is when the processor goes on: what came before is left out
  <position>  after this event

The projector always goes on from what its read models have reached, and builds them anew when that is not in the log;
for it this only says to try again.

Examples:
  $ ops resume webhook-dispatcher --from head
  $ ops resume webhook-dispatcher --from 1234`;

type Place = 'start' | 'head' | Position;

const placeArgument = (text: string): Place => {
  const place = text === 'start' || text === 'head' ? text : toPosition(text);
  if (place === undefined)
    throw new InvalidArgumentError('It must be start, head, or a position in decimal digits.');
  return place;
};

const resume = async (
  { console, engines }: Ops,
  processor: string,
  { from }: { readonly from: Place },
): Promise<ExitCode> => {
  requireProcessor(processor);
  if (from !== 'start' && from !== 'head') {
    const head = await withOpen(engines.openLog(), (log) => log.head());
    if (head === undefined || comparePositions(from, head) > 0)
      throw new UsageError(`position ${from} is beyond the end of the log (${head ?? 'empty'})`);
  }
  const { served } = await decide(engines, { type: 'resume', processor, from });
  const place = from === 'start' || from === 'head' ? `the ${from}` : `after position ${from}`;
  await console.print(
    `noted: ${processor} goes on from ${place}${served ? '' : ' with its next start'}, if it has stopped for that; one that runs well leaves it`,
  );
  return exitCodes.fine;
};
