import { comparePositions, type LogId, type Position } from '@refledger/contracts';
import type { Build, CollectionSpec, ProjectionSpec } from './read-store.js';

/** A build with its collections as declared when the build was created. */
export interface StoredBuild extends Build {
  readonly collections: readonly CollectionSpec[];
}

/**
 * From all builds of a projection (newest last), picks the one that its reads use. That build is
 * live and of this log. It has this release's own version or, failing that, a version that this
 * release still reads.
 */
export const readableBuild = <B extends Build>(
  builds: readonly B[],
  projection: ProjectionSpec,
  logId: LogId,
): B | undefined => {
  const live = builds.filter((build) => build.state === 'live' && build.logId === logId);
  return (
    live.findLast(({ version }) => version === projection.version) ??
    live.findLast(({ version }) => projection.reads?.includes(version))
  );
};

/** Whether reads of a projection reflect every event up to a position. */
export const isReadableUpTo = (
  position: Position,
  builds: readonly Build[],
  projection: ProjectionSpec,
  logId: LogId,
): boolean => {
  const checkpoint = readableBuild(
    builds.filter((build) => build.projection === projection.name),
    projection,
    logId,
  )?.checkpoint;
  return checkpoint !== undefined && comparePositions(checkpoint.position, position) >= 0;
};

/** The newest build of this log and version that is still being built. */
export const buildingBuild = <B extends Build>(
  builds: readonly B[],
  projection: ProjectionSpec,
  logId: LogId,
): B | undefined =>
  builds.findLast(
    (build) =>
      build.state === 'building' && build.logId === logId && build.version === projection.version,
  );
