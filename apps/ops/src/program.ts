import { Command } from 'commander';
import { version } from '@refledger/platform';
import { addBackup } from './commands/backup.js';
import { addCopy } from './commands/copy.js';
import type { RunWith } from './commands/ops.js';
import { addRebuild } from './commands/rebuild.js';
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
    .description('Looks at the event log of a Refledger service and decides for its processors.')
    .version(version)
    .option('--data-dir <folder>', "the service's data folder (default: DATA_DIR, else .data)")
    .option('--verbose', 'shows where an error comes from')
    .addHelpText('after', afterHelp)
    .showHelpAfterError('(ops --help, or ops help <command>, says more)')
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
      onEnd(await work({ console, engines: openEngines(process.env, dataDir) }, ...args));
    };
  for (const add of [
    addTail,
    addShow,
    addVerify,
    addBackup,
    addRebuild,
    addSkip,
    addResume,
    addCopy,
  ])
    add(program, runWith);
  return program;
};

const afterHelp = `
Everything works beside a running service and without one. tail, show, verify and backup only read. rebuild, skip and resume
note a decision in the event log: through the service when one runs, else on their own.

Exit codes:
  0    fine
  1    something was found that should not be (verify), or nothing was found (tail, show, skip)
  2    wrong use
  3    the log, the read store or the service can't be reached or used
  130  interrupted

Examples:
  $ ops tail --follow                         what happens, as it happens
  $ ops show conv_01hzy…                      the story of one conversion
  $ ops verify && echo sound                  are the read models what the log says?
  $ ops rebuild conversions                   fill a read model anew beside the one that is read
  $ ops skip projector 1234                   let a stopped processor leave an event out

With npm: npm run ops -- tail --last 5`;
