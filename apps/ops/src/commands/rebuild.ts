import type { Command } from 'commander';
import { CommandHandler } from '@refledger/application';
import type { EventLog } from '@refledger/event-log';
import { carryOut, type ProcessorDecision } from '@refledger/operator';
import {
  readableBuild,
  type Build,
  type ProjectionSpec,
  type ReadStore,
} from '@refledger/read-store';
import {
  affiliateSearch,
  allProjections,
  projections,
  projectorName,
  type Projection,
} from '@refledger/projections';
import { requireProjection, projectionsHelp } from '../arguments.js';
import { decide } from '../decide.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import type { Ops, RunWith } from './ops.js';
import { project } from '../rebuild/project.js';
import { awaitLive } from '../rebuild/await-live.js';
import { watchService } from '../rebuild/watch-service.js';
import { withOpen } from '../with-open.js';

/** Adds `ops rebuild` to the program. */
export const addRebuild = (program: Command, runWith: RunWith): void => {
  program
    .command('rebuild')
    .description(
      'Rebuilds a read model from the log. Reads use the old copy until the new one has caught up.',
    )
    .argument('<projection>', 'the projection to rebuild')
    .option('--no-wait', 'request the rebuild and return')
    .addHelpText('after', examples)
    .action(runWith(rebuild));
};

const examples = `
${projectionsHelp}

A running service does the rebuild. Without one, this command does it; with --no-wait, the next start does. Ctrl-C only
stops the wait: the rebuild continues in the service, or at its next start.

Examples:
  $ ops rebuild conversions
  $ ops rebuild affiliate_stats --no-wait`;

const rebuild = async (
  ops: Ops,
  name: string,
  { wait }: { readonly wait: boolean },
): Promise<ExitCode> => {
  const { console, engines } = ops;
  const projection = requireProjection(name);
  const request: ProcessorDecision = {
    type: 'request_rebuild',
    processor: projectorName,
    projection: name,
  };
  if (!wait) {
    const { served } = await decide(engines, request);
    await console.print(
      `requested a rebuild of ${name}${served ? '' : '; the next start will do it'}`,
    );
    return exitCodes.success;
  }
  if (!(await rebuildByService(ops, projection, request)))
    await rebuildHere(ops, projection, request);
  await console.print(`${name} has been rebuilt and now serves reads`);
  return exitCodes.success;
};

/** Asks the running service for the rebuild and waits for it. False when no service responds. */
const rebuildByService = async (
  { console, engines }: Ops,
  projection: ProjectionSpec,
  request: ProcessorDecision,
): Promise<boolean> => {
  if (!engines.isServiceRunning()) return false;
  return withOpen(engines.openLog(), (log) =>
    withOpen(engines.openStore(), async (store) => {
      const before = await readBuild(store, projection, log.id);
      if ((await engines.send(request)) === undefined) return false;
      const watch = watchService(engines, console);
      await awaitLive({ store, log, projection, before, console, watch });
      return true;
    }),
  );
};

const rebuildHere = async (
  ops: Ops,
  projection: ProjectionSpec,
  request: ProcessorDecision,
): Promise<void> => {
  // only the search needs keys
  if (projection.name !== affiliateSearch.name)
    return rebuildWith(() => projections, ops, projection, request);
  await withOpen(ops.engines.openTerms(), ({ make }) =>
    rebuildWith((log) => allProjections(make, log), ops, projection, request),
  );
};

const rebuildWith = (
  projectionsOf: (log: EventLog) => readonly Projection[],
  { console, engines }: Ops,
  projection: ProjectionSpec,
  request: ProcessorDecision,
): Promise<void> =>
  engines.alone(({ log, ...own }) =>
    withOpen(own.openStore(), async (store) => {
      const before = await readBuild(store, projection, log.id);
      await carryOut(new CommandHandler(log), request);
      const parts = { log, store, projections: projectionsOf(log) };
      const projector = project(parts, (line) => console.report(line));
      try {
        await awaitLive({ store, log, projection, before, console, watch: projector.watch });
      } finally {
        await projector.end();
      }
    }),
  );

/** The build that serves reads now. */
const readBuild = async (
  store: ReadStore,
  projection: ProjectionSpec,
  logId: string,
): Promise<Build | undefined> =>
  readableBuild(await store.builds(projection.name), projection, logId);
