import { Command } from 'commander';
import { version } from '@refledger/platform';
import { addBackup } from './commands/backup.js';
import { addCopy } from './commands/copy.js';
import { addErase } from './commands/erase.js';
import { addErasures } from './commands/erasures.js';
import type { RunWith } from './commands/ops.js';
import { addIgnoreTime } from './commands/ignore-time.js';
import { addKeys } from './commands/keys.js';
import { addRebuild } from './commands/rebuild.js';
import { addRestored } from './commands/restored.js';
import { addResume } from './commands/resume.js';
import { addShow } from './commands/show.js';
import { addSkip } from './commands/skip.js';
import { addTail } from './commands/tail.js';
import { addVerify } from './commands/verify.js';
import type { Console } from './console.js';
import { openEngines } from './engines/open-engines.js';
import type { ExitCode } from './exit-codes.js';

/** The whole command line. Calls `onEnd` with the exit code of a command that completes. */
export const newProgram = (console: Console, onEnd: (code: ExitCode) => void): Command => {
  const program = new Command('ops')
    .description('Inspects the event log of a Refledger service and manages its processors.')
    .version(version)
    .option(
      '--data-dir <directory>',
      "the service's data directory (default: DATA_DIR, else .data)",
    )
    .option('--verbose', 'print stack traces')
    .addHelpText('after', afterHelp)
    .showHelpAfterError('(see ops --help or ops help <command>)')
    .configureOutput({
      // A reader that closes stdout early has read enough of the help.
      writeOut: (text) => void console.print(text.trimEnd()).catch(() => undefined),
      writeErr: (text) => console.report(text.trimEnd()),
    })
    .exitOverride();
  const runWith: RunWith =
    (work) =>
    async (...args) => {
      const { dataDir } = program.opts<{ dataDir?: string }>();
      onEnd(await work({ console, engines: openEngines(console.env, dataDir) }, ...args));
    };
  for (const add of [
    addTail,
    addShow,
    addVerify,
    addBackup,
    addRestored,
    addRebuild,
    addSkip,
    addResume,
    addIgnoreTime,
    addErase,
    addErasures,
    addKeys,
    addCopy,
  ])
    add(program, runWith);
  return program;
};

const afterHelp = `
All commands except copy work with and without a running service. tail, show, verify, backup, erasures list and erasures
export only read. restored, rebuild, skip, resume, ignore-time, erase and erasures apply write to the event log: through the
service if it is running, otherwise directly. keys rewrap writes only to the key store.

Exit codes:
  0    success
  1    differences were found (verify, copy), nothing was found (tail, show, skip, ignore-time, erase), a key does not
       open (keys rewrap, --personal), or payouts are open (erase)
  2    usage error
  3    the log, the read store or the service cannot be reached or used
  130  interrupted

Examples:
  $ ops tail --follow                         events as they happen
  $ ops show conv_01hzy…                      the history of one conversion
  $ ops verify && echo consistent             do the read models agree with the log?
  $ ops rebuild conversions                   rebuild a read model while the old one serves
  $ ops skip projector 1234                   make a stopped processor skip an event

With npm: npm run ops -- tail --last 5`;
