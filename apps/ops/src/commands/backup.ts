import type { Command } from 'commander';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import type { Ops, RunWith } from './ops.js';

/** Adds `ops backup` to the program. */
export const addBackup = (program: Command, runWith: RunWith): void => {
  program
    .command('backup')
    .description(
      'Copies the data directory while the service runs. A service on the copy sends nothing until ops restored.',
    )
    .argument('<directory>', 'the directory to create for the copy')
    .addHelpText('after', examples)
    .action(runWith(backup));
};

const examples = `
Deliveries are copied first, the log second and the keys of personal data last, each as of one instant. So the
webhook-dispatcher continues from its checkpoint when the copy is used: it repeats the deliveries made since then, and
misses none. And every affiliate in the copied log has its key. Read models are not copied; the service builds them from
the log when it starts. The copy holds the service's keys. Keep it as safe as the original.

The file backup.json marks the copy: a service on it serves requests and plans deliveries, but sends no webhook until
ops restored says that the copy has taken the original's place. So a copy can be tried beside the original.

Example:
  $ ops backup /backups/refledger-$(date +%F)`;

const backup = async ({ console, engines }: Ops, directory: string): Promise<ExitCode> => {
  const { files, head } = await engines.backup(directory, console.signal);
  await console.print(
    `${directory} holds the log up to position ${head}. Files: ${files.join(', ')}`,
  );
  await console.print(
    "A service on it sends nothing until ops restored says that it has taken the original's place.",
  );
  return exitCodes.success;
};
