import type { Command } from 'commander';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import type { Ops, RunWith } from './ops.js';

/** Adds `ops restored` to the program. */
export const addRestored = (program: Command, runWith: RunWith): void => {
  program
    .command('restored')
    .description("Records that the data directory, a backup, has taken the original's place.")
    .addHelpText('after', examples)
    .action(runWith(restored));
};

const examples = `
A service on a backup sends nothing, since it may be a copy that is only tried beside the original. Run this command only when
the original is gone and will never start again: two services would send different webhooks about the same records.

The log records log.restored, with the position and the time of the backup. Then the marker backup.json is removed, and
a running service starts to send immediately. If the command is interrupted, run it again.

Example:
  $ ops --data-dir .data restored`;

const restored = async ({ console, engines }: Ops): Promise<ExitCode> => {
  const { backup, isNew, served } = await engines.restored();
  const what = `the backup of ${backup.time} (position ${backup.position}) has taken the original's place`;
  const when = served ? 'The service sends from now on' : 'A service sends from its next start';
  await console.print(
    isNew || served
      ? `recorded: ${what}. ${when}, unless OUTGOING is off.`
      : `already recorded: ${what}.`,
  );
  return exitCodes.success;
};
