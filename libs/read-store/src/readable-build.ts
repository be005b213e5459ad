import { comparePositions, type LogId, type Position } from '@refledger/contracts';
import type { Build, ViewSpec } from './read-store.js';

/** The build that reads of a view use, of all its builds (newest last): live, of this log, of the release's own version or else one it still reads. */
export const readableBuild = <B extends Build>(
  builds: readonly B[],
  view: ViewSpec,
  logId: LogId,
): B | undefined => {
  const live = builds.filter((build) => build.state === 'live' && build.logId === logId);
  return (
    live.findLast(({ version }) => version === view.version) ??
    live.findLast(({ version }) => view.reads?.includes(version))
  );
};

/** Whether reads of a view reflect every event up to a position. */
export const isReadableUpTo = (
  position: Position,
  builds: readonly Build[],
  view: ViewSpec,
  logId: LogId,
): boolean => {
  const checkpoint = readableBuild(
    builds.filter((build) => build.view === view.name),
    view,
    logId,
  )?.checkpoint;
  return checkpoint !== undefined && comparePositions(checkpoint.position, position) >= 0;
};

/** The build that is on its way to be read. */
export const buildingBuild = <B extends Build>(
  builds: readonly B[],
  view: ViewSpec,
  logId: LogId,
): B | undefined =>
  builds.findLast(
    (build) =>
      build.state === 'building' && build.logId === logId && build.version === view.version,
  );
