import { isInLog, type EventLog, type ProcessorLogger } from '@refledger/event-log';
import { buildingBuild, readableBuild, type Build, type ReadStore } from '@refledger/read-store';
import type { Projection } from '../projection.js';

/** A build, with the projection code of the build's own version. */
export interface BuildWithProjection {
  readonly projection: Projection;
  readonly build: Build;
}

/** The builds to keep: those that serve reads, and those being built. */
export interface BuildPlan {
  readonly live: readonly BuildWithProjection[];
  readonly building: readonly BuildWithProjection[];
}

export interface PlanContext {
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly logger: ProcessorLogger;
}

/**
 * Plans the builds of all projections. A projection without a live build of its version gets a new
 * one, and an interrupted one continues. Superseded builds, and those that don't belong to this
 * log's history, are dropped. Builds from a newer release stay untouched.
 */
export const planBuilds = async (
  context: PlanContext,
  projections: readonly Projection[],
): Promise<BuildPlan> => {
  const live: BuildWithProjection[] = [];
  const building: BuildWithProjection[] = [];
  for (const projection of projections) {
    const plan = await planProjection(context, projection);
    if (plan.live) live.push(plan.live);
    if (plan.building) building.push(plan.building);
  }
  return { live, building };
};

const planProjection = async (
  context: PlanContext,
  projection: Projection,
): Promise<{ readonly live?: BuildWithProjection; readonly building?: BuildWithProjection }> => {
  const { log, store, logger } = context;
  const { valid, torn } = await checked(context, projection);
  for (const build of torn) {
    logger.warn(
      { projection: projection.name, build: build.id, checkpoint: build.checkpoint },
      `the checkpoint of read model ${projection.name} is not in this log; rebuilding it`,
    );
    await store.dropBuild(build);
  }
  const current = readableBuild(valid, { ...projection, reads: [] }, log.id);
  const cause = torn.at(-1)?.id ?? 'first';
  const building =
    buildingBuild(buildsAfter(valid, current), projection, log.id) ??
    (current === undefined ? await store.createBuild(projection, log.id, cause) : undefined);
  const read = current ?? readableBuild(valid, projection, log.id);
  const superseded = valid.filter(
    ({ id, state, logId }) =>
      id !== read?.id &&
      id !== building?.id &&
      (current !== undefined || (state === 'building' && logId === log.id)),
  );
  for (const build of superseded) await store.dropBuild(build);
  return {
    ...(read && { live: { projection: codeFor(projection, read), build: read } }),
    ...(building && { building: { projection, build: building } }),
  };
};

/**
 * The builds of this version and earlier ones. Those of this log are torn if the event of their
 * checkpoint is not in it.
 */
const checked = async (
  { log, store }: PlanContext,
  projection: Projection,
): Promise<{ readonly valid: readonly Build[]; readonly torn: readonly Build[] }> => {
  const valid: Build[] = [];
  const torn: Build[] = [];
  for (const build of await store.builds(projection.name)) {
    if (build.version > projection.version) continue;
    const isValid =
      build.logId !== log.id ||
      build.checkpoint === undefined ||
      (await isInLog(log, build.checkpoint));
    (isValid ? valid : torn).push(build);
  }
  return { valid, torn };
};

/** The builds created after `build`; all if it is undefined. */
const buildsAfter = (builds: readonly Build[], build: Build | undefined): readonly Build[] =>
  builds.slice(builds.findIndex(({ id }) => id === build?.id) + 1);

/** The code of a build's own version, so that its documents never mix two versions. */
const codeFor = (projection: Projection, { version }: Build): Projection =>
  projection.older?.find((older) => older.version === version) ?? projection;
