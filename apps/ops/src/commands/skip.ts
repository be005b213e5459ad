import type { Command } from 'commander';
import type { Position } from '@refledger/contracts';
import { positionArgument } from '../arguments.js';
import { decide } from '../decide.js';
import { exitCodes, Misuse, type ExitCode } from '../exit-codes.js';
import { followersHelp, requireFollower } from '../followers.js';
import { eventParagraph } from '../format/event-lines.js';
import type { Ops, RunWith } from './ops.js';
import { isStoppedAt } from '../stopped-at.js';
import { withOpen } from '../with-open.js';

export const addSkip = (program: Command, runWith: RunWith): void => {
  program
    .command('skip')
    .description(
      'Lets a follower leave an event out, now and in every later rebuild: for one that stopped at an event it cannot get past.',
    )
    .argument('<follower>', 'who leaves it out')
    .argument('<position>', "the event's position, as the service's log names it", positionArgument)
    .option('--force', 'also when the follower has not stopped at this event')
    .addHelpText('after', examples)
    .action(runWith(skip));
};

const examples = `
Followers:
${followersHelp}

The decision is noted in the log by the event's id and can't be taken back: the event is left out of every later rebuild too, so totals and
lists lack it. A follower that stopped goes on by itself. Where none has stopped at this event, only --force skips it.

Example:
  $ ops skip projector 1234`;

const skip = async (
  { console, engines }: Ops,
  follower: string,
  position: Position,
  { force = false }: { readonly force?: boolean },
): Promise<ExitCode> => {
  requireFollower(follower);
  const event = await withOpen(engines.openLog(), (log) => log.eventAt(position));
  if (event === undefined) {
    console.say(`ops: the log has no event at position ${position}`);
    return exitCodes.found;
  }
  await console.print(`${event.stream}\n${eventParagraph(event)}\n`);
  const stopped =
    force ||
    (await withOpen(engines.openLog(), (log) =>
      withOpen(engines.openStore(), (store) => isStoppedAt(follower, event, log, store)),
    ));
  if (!stopped)
    throw new Misuse(
      `${follower} has not stopped at this event; --force leaves it out all the same, for ever`,
    );
  const { isNew, served } = await decide(engines, {
    type: 'skip',
    follower,
    event_id: event.id,
    position,
  });
  await console.print(
    isNew
      ? `${follower} leaves this event out${served ? '' : ' from its next start on'}`
      : `${follower} left this event out already`,
  );
  return exitCodes.fine;
};
