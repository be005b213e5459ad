import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { buildingBuild, readableBuild, type Build, type ReadStore } from '@refledger/read-store';
import type { Projection } from '@refledger/projections';
import type { Progress } from '../progress.js';

export interface Awaiting {
  readonly store: ReadStore;
  readonly log: EventLog;
  readonly projection: Projection;
  /** Ids of the builds that were there before. */
  readonly known: ReadonlySet<string>;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Told how far the build has come for as long as it isn't read: throws when waiting longer makes no sense. */
  readonly watch: (position: Position | undefined) => void;
}

export const buildIds = (builds: readonly Build[]): ReadonlySet<string> =>
  new Set(builds.map(({ id }) => id));

const everyMs = 50;

/** Resolves once a build that was not there before is read, and shows how far it has come until then. */
export const awaitLive = async ({
  store,
  log,
  projection,
  known,
  progress,
  signal,
  watch,
}: Awaiting): Promise<void> => {
  try {
    for (;;) {
      const builds = await store.builds(projection.name);
      const live = readableBuild(builds, projection, log.id);
      if (live !== undefined && !known.has(live.id)) return;
      const position = buildingBuild(builds, projection, log.id)?.checkpoint?.position;
      progress.to(position, await log.head());
      watch(position);
      await sleep(everyMs, undefined, { signal });
    }
  } finally {
    progress.end();
  }
};
