import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { buildingBuild, readableBuild, type Build, type ReadStore } from '@refledger/read-store';
import type { Projection } from '@refledger/projections';
import type { Console } from '../console.js';
import { shownWork } from '../progress.js';

export interface AwaitLiveOptions {
  readonly store: ReadStore;
  readonly log: EventLog;
  readonly projection: Projection;
  /** The ids of the builds that existed before. */
  readonly known: ReadonlySet<string>;
  readonly console: Pick<Console, 'terminal' | 'report' | 'signal'>;
  /**
   * Called repeatedly with the build's position until the build is readable. Throws when waiting
   * longer makes no sense.
   */
  readonly watch: (position: Position | undefined) => void;
}

export const buildIds = (builds: readonly Build[]): ReadonlySet<string> =>
  new Set(builds.map(({ id }) => id));

const everyMs = 50;

/**
 * Shows the progress of a new build, and resolves once a build that is not among `known` is
 * readable.
 */
export const awaitLive = ({
  store,
  log,
  projection,
  known,
  console,
  watch,
}: AwaitLiveOptions): Promise<void> => {
  const what = `rebuilding ${projection.name}`;
  return shownWork(console, { what, unit: 'position' }, async ({ progress, signal }) => {
    for (;;) {
      const builds = await store.builds(projection.name);
      const live = readableBuild(builds, projection, log.id);
      if (live !== undefined && !known.has(live.id)) return;
      const position = buildingBuild(builds, projection, log.id)?.checkpoint?.position;
      progress.to(position, await log.head());
      watch(position);
      await sleep(everyMs, undefined, { signal });
    }
  });
};
