import type { Command } from 'commander';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import type { Ops, RunWith } from './ops.js';

export const addBackup = (program: Command, runWith: RunWith): void => {
  program
    .command('backup')
    .description(
      'Copies the data folder while the service runs: a folder that a service can be started over.',
    )
    .argument('<folder>', 'where the copy goes; made anew')
    .addHelpText('after', examples)
    .action(runWith(backup));
};

const examples = `
Deliveries are copied before the log, each as of one instant, so that the webhook-dispatcher goes on from its place when the copy is used:
what it has delivered since is delivered again, and nothing is left out. Read models are left out; a start makes them from the log.
The copy holds the keys of the service: keep it as safe.

Example:
  $ ops backup /backups/refledger-$(date +%F)`;

const backup = async ({ console, engines }: Ops, folder: string): Promise<ExitCode> => {
  const { files, head } = await engines.backup(folder);
  await console.print(
    `${folder} holds the log up to position ${head ?? 0}, in ${files.join(', ')}`,
  );
  return exitCodes.fine;
};
