import { setTimeout as sleep } from 'node:timers/promises';
import { comparePositions, type Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import {
  buildingBuild,
  readableBuild,
  type Build,
  type ProjectionSpec,
  type ReadStore,
} from '@refledger/read-store';
import type { Console } from '../console.js';
import { shownWork } from '../progress.js';

export interface AwaitLiveOptions {
  readonly store: ReadStore;
  readonly log: EventLog;
  readonly projection: ProjectionSpec;
  /** The build that served reads before the request; undefined if none did. */
  readonly before: Build | undefined;
  readonly console: Pick<Console, 'terminal' | 'report' | 'signal'>;
  /**
   * Called repeatedly with the build's position until the build is readable. Throws when waiting
   * longer makes no sense.
   */
  readonly watch: (position: Position | undefined) => void;
}

const everyMs = 50;

/**
 * Waits for a rebuild that has just been requested, and shows its progress. Resolves once a build
 * other than `before` is readable, has passed the request, and no newer one is being built. It may
 * have started before the request: the projector accepts such a build if it gets past the request
 * in time.
 */
export const awaitLive = async ({
  store,
  log,
  projection,
  before,
  console,
  watch,
}: AwaitLiveOptions): Promise<void> => {
  const requestedBy = await log.head();
  const what = `rebuilding ${projection.name}`;
  return shownWork(console, { what, unit: 'position' }, async ({ progress, signal }) => {
    for (;;) {
      const builds = await store.builds(projection.name);
      const live = readableBuild(builds, projection, log.id);
      const building = buildingBuild(builds, projection, log.id);
      const isOther = live !== undefined && live.id !== before?.id;
      if (isOther && building === undefined && hasReached(live, requestedBy)) return;
      const position = building?.checkpoint?.position;
      progress.update(position, await log.head());
      watch(position);
      await sleep(everyMs, undefined, { signal });
    }
  });
};

const hasReached = ({ checkpoint }: Build, position: Position | undefined): boolean =>
  position === undefined ||
  (checkpoint !== undefined && comparePositions(checkpoint.position, position) >= 0);
