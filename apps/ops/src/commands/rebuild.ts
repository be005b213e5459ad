import type { Command } from 'commander';
import { CommandHandler } from '@refledger/event-log';
import { carryOut, type OperatorCommand } from '@refledger/platform';
import { readableBuild, type ReadStore } from '@refledger/read-store';
import { projectorName, type Projection } from '@refledger/projections';
import { decide } from '../decide.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import type { Ops, RunWith } from './ops.js';
import { newProgress } from '../progress.js';
import { project } from '../rebuild/project.js';
import { awaitLive, buildIds } from '../rebuild/await-live.js';
import { watchService } from '../rebuild/watch-service.js';
import { projectionNamed, projectionsHelp } from '../projections-named.js';
import { withOpen } from '../with-open.js';

export const addRebuild = (program: Command, runWith: RunWith): void => {
  program
    .command('rebuild')
    .description(
      'Fills a read model anew from the log, beside the one that is read until the new one has caught up.',
    )
    .argument('<projection>', 'which read model')
    .option('--no-wait', 'only asks for it')
    .addHelpText('after', examples)
    .action(runWith(rebuild));
};

const examples = `
${projectionsHelp}

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
  const projection = projectionNamed(name);
  const request: OperatorCommand = {
    type: 'request_rebuild',
    processor: projectorName,
    projection: name,
  };
  if (!wait) {
    const { served } = await decide(engines, request);
    await console.print(
      `asked for a rebuild of ${name}${served ? '' : ': the next start does it'}`,
    );
    return exitCodes.fine;
  }
  if (!(await rebuildByService(ops, projection, request)))
    await rebuildHere(ops, projection, request);
  await console.print(`${name} is built anew and read from now on`);
  return exitCodes.fine;
};

/** Asks the running service for the rebuild and waits for it. False when no service answers. */
const rebuildByService = async (
  { console, engines }: Ops,
  projection: Projection,
  request: OperatorCommand,
): Promise<boolean> => {
  if (!engines.isServed()) return false;
  return withOpen(engines.openLog(), (log) =>
    withOpen(engines.openStore(), async (store) => {
      const known = await knownBuilds(store, projection, log.id);
      if ((await engines.ask(request)) === undefined) return false;
      const progress = newProgress(`rebuilding ${projection.name}`, console);
      await awaitLive({
        store,
        projection,
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
  projection: Projection,
  request: OperatorCommand,
): Promise<void> =>
  engines.alone(({ log, ...own }) =>
    withOpen(own.openStore(), async (store) => {
      const known = await knownBuilds(store, projection, log.id);
      await carryOut(new CommandHandler(log), request);
      const projector = project({ log, store, report: (line) => console.report(line) });
      try {
        const progress = newProgress(`rebuilding ${projection.name}`, console);
        await awaitLive({
          store,
          projection,
          known,
          progress,
          log,
          signal: console.signal,
          watch: projector.watch,
        });
      } finally {
        await projector.end();
      }
    }),
  );

/**
 * The builds that are not the requested one. When no build is readable yet, there are none: the
 * first readable build is as new as a requested one.
 */
const knownBuilds = async (
  store: ReadStore,
  projection: Projection,
  logId: string,
): Promise<ReadonlySet<string>> => {
  const builds = await store.builds(projection.name);
  return readableBuild(builds, projection, logId) === undefined ? new Set() : buildIds(builds);
};
