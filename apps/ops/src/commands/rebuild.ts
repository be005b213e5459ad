import type { Command } from 'commander';
import { CommandRunner } from '@refledger/event-log';
import { carryOut, type OperatorCommand } from '@refledger/platform';
import { readableBuild, type ReadStore } from '@refledger/read-store';
import { projectorName, type View } from '@refledger/views';
import { decide } from '../decide.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import type { Ops, RunWith } from './ops.js';
import { newProgress } from '../progress.js';
import { project } from '../rebuild/project.js';
import { awaitLive, buildIds } from '../rebuild/await-live.js';
import { watchService } from '../rebuild/watch-service.js';
import { viewNamed, viewsHelp } from '../views-named.js';
import { withOpen } from '../with-open.js';

export const addRebuild = (program: Command, runWith: RunWith): void => {
  program
    .command('rebuild')
    .description(
      'Fills a read model anew from the log, beside the one that is read until the new one has caught up.',
    )
    .argument('<view>', 'which read model')
    .option('--no-wait', 'only asks for it')
    .addHelpText('after', examples)
    .action(runWith(rebuild));
};

const examples = `
${viewsHelp}

A running service does it; without one it is done here (with --no-wait: by the next start). Ctrl-C ends the waiting;
the rebuild itself goes on, or is taken up again at the next start.

Examples:
  $ ops rebuild conversions
  $ ops rebuild affiliate_stats --no-wait`;

const rebuild = async (
  ops: Ops,
  name: string,
  { wait }: { readonly wait: boolean },
): Promise<ExitCode> => {
  const { console, engines } = ops;
  const view = viewNamed(name);
  const request: OperatorCommand = { type: 'request_rebuild', follower: projectorName, view: name };
  if (!wait) {
    const { served } = await decide(engines, request);
    await console.print(
      `asked for a rebuild of ${name}${served ? '' : ': the next start does it'}`,
    );
    return exitCodes.fine;
  }
  if (!(await rebuildByService(ops, view, request))) await rebuildHere(ops, view, request);
  await console.print(`${name} is built anew and read from now on`);
  return exitCodes.fine;
};

/** False when no service answers. */
const rebuildByService = async (
  { console, engines }: Ops,
  view: View,
  request: OperatorCommand,
): Promise<boolean> => {
  if (!engines.isServed()) return false;
  return withOpen(engines.openLog(), (log) =>
    withOpen(engines.openStore(), async (store) => {
      const known = await knownBuilds(store, view, log.id);
      if ((await engines.ask(request)) === undefined) return false;
      const progress = newProgress(`rebuilding ${view.name}`, console);
      await awaitLive({
        store,
        view,
        known,
        progress,
        log,
        signal: console.signal,
        watch: watchService(engines, console),
      });
      return true;
    }),
  );
};

const rebuildHere = (
  { console, engines }: Ops,
  view: View,
  request: OperatorCommand,
): Promise<void> =>
  engines.alone(({ log, ...own }) =>
    withOpen(own.openStore(), async (store) => {
      const known = await knownBuilds(store, view, log.id);
      await carryOut(new CommandRunner(log), request);
      const projection = project({ log, store, say: (line) => console.say(line) });
      try {
        const progress = newProgress(`rebuilding ${view.name}`, console);
        await awaitLive({
          store,
          view,
          known,
          progress,
          log,
          signal: console.signal,
          watch: projection.watch,
        });
      } finally {
        await projection.end();
      }
    }),
  );

/** Where none is read yet, the first build to be read is as new as one asked for. */
const knownBuilds = async (
  store: ReadStore,
  view: View,
  logId: string,
): Promise<ReadonlySet<string>> => {
  const builds = await store.builds(view.name);
  return readableBuild(builds, view, logId) === undefined ? new Set() : buildIds(builds);
};
