import { randomBytes } from 'node:crypto';
import { MongoServerError, type Collection } from 'mongodb';
import type { Checkpoint, LogId } from '@refledger/contracts';
import { BuildGone, type Build, type CollectionSpec, type ViewSpec } from '../read-store.js';
import { fromInteger } from './view-document.js';

/** A build with its collections as they were declared when it was made. */
export interface StoredBuild extends Build {
  readonly collections: readonly CollectionSpec[];
}

/**
 * The builds of each view, oldest first, in one document a view: so each change of them, by whoever, is one atomic step without a transaction.
 * The id of a build is never used again, so whatever is written to a dropped one is seen by nobody.
 */
export class BuildRegistry {
  constructor(private readonly views: Collection<ViewEntry>) {}

  async ofView(view: string): Promise<readonly StoredBuild[]> {
    return buildsIn(await this.views.findOne({ _id: view }));
  }

  async all(): Promise<readonly StoredBuild[]> {
    return (await this.views.find().toArray()).flatMap(buildsIn);
  }

  /** Throws `BuildGone` unless they are all there; answers them. */
  async present(builds: readonly Build[]): Promise<readonly StoredBuild[]> {
    const there = (
      await this.views
        .find({ _id: { $in: [...new Set(builds.map(({ view }) => view))] } })
        .toArray()
    ).flatMap(buildsIn);
    return builds.map((build) => {
      const found = there.find(({ id }) => id === build.id);
      if (found === undefined) throw new BuildGone(build);
      return found;
    });
  }

  /** Notes a build, unless there is one for this version, log and cause, and answers that. */
  async create(view: ViewSpec, logId: LogId, cause: string): Promise<StoredBuild> {
    const wanted = { version: view.version, log_id: logId, cause };
    for (;;) {
      const known = (await this.views.findOne({ _id: view.name }))?.builds.find(
        (entry) =>
          entry.version === view.version && entry.log_id === logId && entry.cause === cause,
      );
      if (known !== undefined) return toBuild(view.name, known);
      const entry: BuildEntry = {
        id: randomBytes(12).toString('hex'),
        ...wanted,
        state: 'building',
        collections: JSON.stringify(view.collections),
        position: null,
        event_id: null,
      };
      await this.views
        .updateOne(
          { _id: view.name, builds: { $not: { $elemMatch: wanted } } },
          { $push: { builds: entry } },
          { upsert: true },
        )
        .catch((error: unknown) => {
          // somebody else noted one meanwhile, or the view itself
          if (!(error instanceof MongoServerError) || error.code !== 11000) throw error;
        });
    }
  }

  /** False when a live build of this version or an earlier one has come further: judged by the server as it writes. Throws `BuildGone`. */
  async goLive(build: Build): Promise<boolean> {
    const [mine] = await this.present([build]);
    const further = {
      id: { $ne: build.id },
      state: 'live',
      log_id: build.logId,
      version: { $lte: build.version },
      position: { $gt: positionOf(mine?.checkpoint) },
    } as const;
    const { matchedCount } = await this.views.updateOne(
      { _id: build.view, 'builds.id': build.id, builds: { $not: { $elemMatch: further } } },
      { $set: { 'builds.$[mine].state': 'live' } },
      { arrayFilters: [{ 'mine.id': build.id }] },
    );
    if (matchedCount > 0) return true;
    const [now] = await this.present([build]);
    return now?.state === 'live';
  }

  async remove({ view, id }: Build): Promise<void> {
    await this.views.updateOne({ _id: view }, { $pull: { builds: { id } } });
  }

  /** Raises the checkpoints that are lower. Throws `BuildGone`. */
  async raise(
    checkpoints: readonly { readonly build: Build; readonly checkpoint: Checkpoint }[],
  ): Promise<void> {
    if (checkpoints.length === 0) return;
    const { matchedCount } = await this.views.bulkWrite(
      checkpoints.map(({ build, checkpoint: { position, eventId } }) => ({
        updateOne: {
          filter: {
            _id: build.view,
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

export interface ViewEntry {
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

const buildsIn = (view: ViewEntry | null): readonly StoredBuild[] =>
  view?.builds.map((entry) => toBuild(view._id, entry)) ?? [];

const toBuild = (
  view: string,
  { id, version, log_id, state, collections, position, event_id }: BuildEntry,
): StoredBuild => ({
  id,
  view,
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
