import { InvalidArgumentError, type Command } from 'commander';
import { isId, type AccountId } from '@refledger/contracts';
import { applyErasures } from '../erasures/apply-erasures.js';
import { checkedErasures, writeExport } from '../erasures/erasure-file.js';
import { entryLine } from '../erasures/erasure-entry.js';
import { readErasures } from '../erasures/read-erasures.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import { counted } from '../format/counted.js';
import { withOpen } from '../with-open.js';
import type { Ops, RunWith } from './ops.js';

/** Adds `ops erasures` to the program. */
export const addErasures = (program: Command, runWith: RunWith): void => {
  const erasures = program
    .command('erasures')
    .description('Lists erasures of affiliates, and carries them over to a restored service.');
  erasures
    .command('list')
    .description('Lists the erasures that the log or the key store has.')
    .option('--account <id>', 'only erasures of this account', accountArgument)
    .option('--json', 'print one line of JSON per erasure')
    .action(runWith(list));
  erasures
    .command('export')
    .description('Writes all erasures as lines of JSON, which ops erasures apply reads.')
    .option('--to <file>', 'write them to a file, which is replaced (default: stdout)')
    .action(runWith(exportAll));
  erasures
    .command('apply')
    .description('Erases the affiliates in an export that the log has and that are not erased yet.')
    .argument('<file>', 'a file that ops erasures export wrote')
    .addHelpText('after', examples)
    .action(runWith(apply));
};

const examples = `
Use it if the log and the key store were both restored from backups that are older than erasures: only an export still
knows these. Where only the log was restored, keep the newer key store; the service then records the erasures again by
itself. Nothing is changed if a line cannot be read. Repeating the command changes nothing. Affiliates that the log does not
have are named and skipped.

Example:
  $ ops erasures export --to erasures.ndjson  while the service is well, at least as often as backups are made
  $ ops erasures apply erasures.ndjson        after restoring both`;

const accountArgument = (text: string): AccountId => {
  if (!isId('account', text)) throw new InvalidArgumentError('It must be an id (acct_…).');
  return text;
};

interface ListOptions {
  readonly account?: AccountId;
  readonly json?: boolean;
}

const list = (
  { console, engines }: Ops,
  { account, json = false }: ListOptions,
): Promise<ExitCode> =>
  withOpen(engines.openLog(), (log) =>
    withOpen(engines.openStoredKeys(log), async (keys) => {
      for await (const entry of readErasures({ log, keys, signal: console.signal }, account))
        await console.print(json ? JSON.stringify(entry) : entryLine(entry));
      return exitCodes.success;
    }),
  );

const exportAll = (ops: Ops, { to }: { readonly to?: string }): Promise<ExitCode> => {
  if (to === undefined) return list(ops, { json: true });
  const { console, engines } = ops;
  return withOpen(engines.openLog(), (log) =>
    withOpen(engines.openStoredKeys(log), async (keys) => {
      const count = await writeExport(to, readErasures({ log, keys, signal: console.signal }));
      await console.print(`wrote ${counted(count, 'erasure')} to ${to}`);
      return exitCodes.success;
    }),
  );
};

const apply = async ({ console, engines }: Ops, file: string): Promise<ExitCode> => {
  const erasures = await checkedErasures(file);
  const { applied, present, absent } = await engines.withErasures(console, (carryOut) =>
    applyErasures(erasures, {
      carryOut,
      signal: console.signal,
      onAbsent: (id) => console.report(`ops: skipped ${id}, which this log does not have`),
    }),
  );
  await console.print(`applied ${applied}, erased already ${present}, skipped ${absent}`);
  return exitCodes.success;
};
