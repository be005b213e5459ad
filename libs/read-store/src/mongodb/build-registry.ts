import { randomBytes } from 'node:crypto';
import type { Collection } from 'mongodb';
import type { Checkpoint, LogId } from '@refledger/contracts';
import {
  BuildNotFoundError,
  type Build,
  type CollectionSpec,
  type ProjectionSpec,
} from '../read-store.js';
import type { StoredBuild } from '../readable-build.js';
import { fromInteger } from '../document.js';
import { duplicateKey, ignoring } from '@refledger/mongodb';

/**
 * Stores the builds of each projection, oldest first, in one document per projection, so any
 * process can change them in one atomic step without a transaction. The id of a build is never used
 * again, so no one reads what is written to a dropped build.
 */
export class BuildRegistry {
  constructor(private readonly projections: Collection<ReadModelEntry>) {}

  async ofProjection(projection: string): Promise<readonly StoredBuild[]> {
    return buildsIn(await this.projections.findOne({ _id: projection }));
  }

  async all(): Promise<readonly StoredBuild[]> {
    return (await this.projections.find().toArray()).flatMap(buildsIn);
  }

  /** Returns the stored builds. Throws `BuildNotFoundError` unless all of them exist. */
  async present(builds: readonly Build[]): Promise<readonly StoredBuild[]> {
    const there = (
      await this.projections
        .find({ _id: { $in: [...new Set(builds.map(({ projection }) => projection))] } })
        .toArray()
    ).flatMap(buildsIn);
    return builds.map((build) => {
      const found = there.find(({ id }) => id === build.id);
      if (found === undefined) throw new BuildNotFoundError(build);
      return found;
    });
  }

  /**
   * Records a build, unless one exists for this version, log and cause. Returns the recorded build.
   */
  async create(projection: ProjectionSpec, logId: LogId, cause: string): Promise<StoredBuild> {
    const wanted = { version: projection.version, log_id: logId, cause };
    for (;;) {
      const known = (await this.projections.findOne({ _id: projection.name }))?.builds.find(
        (entry) =>
          entry.version === projection.version && entry.log_id === logId && entry.cause === cause,
      );
      if (known !== undefined) return toBuild(projection.name, known);
      const entry: BuildEntry = {
        id: randomBytes(12).toString('hex'),
        ...wanted,
        state: 'building',
        collections: JSON.stringify(projection.collections),
        position: null,
        event_id: null,
      };
      await this.projections
        .updateOne(
          { _id: projection.name, builds: { $not: { $elemMatch: wanted } } },
          { $push: { builds: entry } },
          { upsert: true },
        )
        // Another process may have recorded the build, or the projection itself, in the meantime.
        .catch(ignoring(duplicateKey));
    }
  }

  /**
   * False if a live build of this log and of this version or an earlier one is further ahead. The
   * server decides that as it writes. Throws `BuildNotFoundError`.
   */
  async goLive(build: Build): Promise<boolean> {
    const [mine] = await this.present([build]);
    const further = {
      id: { $ne: build.id },
      state: 'live',
      log_id: build.logId,
      version: { $lte: build.version },
      position: { $gt: positionOf(mine?.checkpoint) },
    } as const;
    const { matchedCount } = await this.projections.updateOne(
      { _id: build.projection, 'builds.id': build.id, builds: { $not: { $elemMatch: further } } },
      { $set: { 'builds.$[mine].state': 'live' } },
      { arrayFilters: [{ 'mine.id': build.id }] },
    );
    if (matchedCount > 0) return true;
    const [now] = await this.present([build]);
    return now?.state === 'live';
  }

  async remove({ projection, id }: Build): Promise<void> {
    await this.projections.updateOne({ _id: projection }, { $pull: { builds: { id } } });
  }

  /** Raises the checkpoints that are lower. Throws `BuildNotFoundError`. */
  async raise(
    checkpoints: readonly { readonly build: Build; readonly checkpoint: Checkpoint }[],
  ): Promise<void> {
    if (checkpoints.length === 0) return;
    const { matchedCount } = await this.projections.bulkWrite(
      checkpoints.map(({ build, checkpoint: { position, eventId } }) => ({
        updateOne: {
          filter: {
            _id: build.projection,
            builds: {
              $elemMatch: { id: build.id, position: { $not: { $gte: BigInt(position) } } },
            },
          },
          update: { $set: { 'builds.$.position': BigInt(position), 'builds.$.event_id': eventId } },
        },
      })),
      { ordered: false },
    );
    if (matchedCount < checkpoints.length)
      await this.present(checkpoints.map(({ build }) => build));
  }
}

/** The stored builds of one projection; `_id` is its name. */
export interface ReadModelEntry {
  readonly _id: string;
  readonly builds: readonly BuildEntry[];
}

interface BuildEntry {
  readonly id: string;
  readonly cause: string;
  readonly version: number;
  readonly log_id: string;
  readonly state: Build['state'];
  readonly collections: string;
  readonly position: bigint | null;
  readonly event_id: string | null;
}

const buildsIn = (projection: ReadModelEntry | null): readonly StoredBuild[] =>
  projection?.builds.map((entry) => toBuild(projection._id, entry)) ?? [];

const toBuild = (
  projection: string,
  { id, version, log_id, state, collections, position, event_id }: BuildEntry,
): StoredBuild => ({
  id,
  projection,
  version,
  logId: log_id,
  state,
  checkpoint:
    position === null || event_id === null
      ? undefined
      : { logId: log_id, position: fromInteger(position), eventId: event_id },
  collections: JSON.parse(collections) as readonly CollectionSpec[],
});

const positionOf = (checkpoint: Checkpoint | undefined): bigint =>
  checkpoint === undefined ? -1n : BigInt(checkpoint.position);
