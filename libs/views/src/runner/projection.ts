import { randomUUID } from 'node:crypto';
import type { Position } from '@refledger/contracts';
import {
  backoffMs,
  follow,
  FollowerProgress,
  pause,
  type EventLog,
  type FollowerLogger,
  type FollowerStatus,
  type LogBatch,
} from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import type { View } from '../view.js';
import { buildingFollower } from './building-follower.js';
import { groupFollower, type GroupFollowerOptions } from './group-follower.js';
import { inTurn } from './in-turn.js';
import type { KeptBuild } from './kept-build.js';
import { planBuilds, type BuildPlan } from './plan-builds.js';
import { rebuildsRequested } from './rebuilds-requested.js';
import { Rest } from './rest.js';
import type { ViewGroup } from './view-group.js';

export interface ProjectionOptions {
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly views: readonly View[];
  readonly logger: FollowerLogger;
  readonly onStatus?: (status: ProjectionStatus) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Where several projectors share the store: after so long without a word from the one that works, another does. */
  readonly leaseMs?: number;
}

/** How the views that are read are doing, or while there are none those being built; a stop of either shows first. */
export interface ProjectionStatus extends FollowerStatus {
  /** Another projector has the turn. */
  readonly standingBy: boolean;
  /** Views that are being built, and how far that has come. */
  readonly building:
    { readonly views: readonly string[]; readonly position: Position | undefined } | undefined;
}

/** A batch for one group of builds. */
export interface GroupBatch extends LogBatch {
  readonly take: () => Promise<void>;
}

/** The follower that keeps the read models. Its decisions are in `refledger.follower-projector`. */
export const projectorName = 'projector';

/**
 * Keeps all views: follows the log with the builds that are read and, apart from them, with those being built. Whenever the set of builds
 * changes (one goes live, is asked for, or is gone) both stop after their batch, look at what builds there are, and go on from their checkpoints.
 */
export class Projection {
  private readonly now: () => number;
  private live: { progress: FollowerProgress } | undefined;
  private building: { progress: FollowerProgress; group: ViewGroup } | undefined;
  private standingBy = false;
  private readonly planning: FollowerProgress;
  private hasPlanned: () => void = () => undefined;
  /** Resolves once it has been checked which builds belong to this log's history: before that, builds of a log that was restored since could be read. */
  readonly planned = new Promise<void>((resolve) => (this.hasPlanned = resolve));

  constructor(private readonly options: ProjectionOptions) {
    this.now = options.now ?? Date.now;
    this.planning = this.newProgress();
  }

  /**
   * Runs until the signal aborts; never rejects. Every batch is given to `deliver`, which must let it `take` place and hand on its errors.
   * Of several projectors on one store one works and the others stand by.
   */
  async run(deliver: (batch: GroupBatch) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { store, logger, leaseMs = 10_000 } = this.options;
    const turn = {
      store,
      name: projectorName,
      holder: `${projectorName}-${randomUUID()}`,
      leaseMs,
      logger,
      onStandBy: (standingBy: boolean) => this.standBy(standingBy),
    };
    await inTurn(turn, (until) => this.keepViews(deliver, until), signal);
  }

  status(): ProjectionStatus {
    const [live, building] = [this.live?.progress.status(), this.building?.progress.status()];
    const shown =
      [live, building].find((status) => status?.state === 'stopped') ??
      live ??
      building ??
      this.planning.status();
    return {
      ...shown,
      standingBy: this.standingBy,
      building: this.building && {
        views: this.building.group.builds.map(({ view }) => view.name),
        position: this.building.group.position,
      },
    };
  }

  private async keepViews(
    deliver: (batch: GroupBatch) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        const plan = await planBuilds(this.options, this.options.views);
        this.hasPlanned();
        await this.follow(plan, deliver, signal);
        failures = 0;
      } catch (error) {
        const wait = backoffMs(++failures, Math.random());
        this.live = this.building = undefined;
        this.planning.fails('retrying', error);
        this.options.logger.warn(
          { follower: projectorName, failures, wait_ms: Math.round(wait), err: error },
          "the read models can't be looked at: trying again",
        );
        await pause(wait, signal);
      }
    }
  }

  private standBy(standingBy: boolean): void {
    if (standingBy === this.standingBy) return;
    this.standingBy = standingBy;
    if (standingBy) this.live = this.building = undefined;
    this.options.logger.info(
      { follower: projectorName },
      standingBy
        ? 'the projector stands by: another one keeps the read models'
        : 'the projector has its turn',
    );
    this.options.onStatus?.(this.status());
  }

  private async follow(
    plan: BuildPlan,
    deliver: (batch: GroupBatch) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const regroup = new AbortController();
    const until = AbortSignal.any([signal, regroup.signal]);
    const live =
      plan.live.length > 0 ? this.liveFollower(plan.live, () => regroup.abort()) : undefined;
    const building =
      plan.building.length > 0
        ? buildingFollower(
            this.groupOptions(plan.building, () => regroup.abort()),
            this.now,
          )
        : undefined;
    this.live = live && { progress: live.progress };
    this.building = building && { progress: building.progress, group: building.group };
    const rest = new Rest(this.options.store.demand);
    const members = [
      live && { ...live, rest: (batch: LogBatch) => rest.after(batch) },
      building,
    ].filter((member) => member !== undefined);
    await Promise.all(
      members.map((member) =>
        follow(
          { ...member, handle: (batch) => deliver({ ...batch, take: () => member.take(batch) }) },
          until,
        ),
      ),
    );
    // what was folded and is not saved would be folded again, so it may as well be lost
    await building?.group.flush().catch(() => undefined);
  }

  private liveFollower(builds: readonly KeptBuild[], regroup: () => void) {
    const { log, store, views } = this.options;
    return groupFollower(this.groupOptions(builds, regroup), async (batch, group, skipped) => {
      const requests = rebuildsRequested({ follower: projectorName, views, group }, batch, skipped);
      for (const { view, cause } of requests) await store.createBuild(view, log.id, cause);
      await group.take(batch, skipped);
      if (requests.length > 0) regroup();
    });
  }

  private groupOptions(builds: readonly KeptBuild[], regroup: () => void): GroupFollowerOptions {
    const { log, store, logger } = this.options;
    return {
      name: projectorName,
      log,
      store,
      logger,
      progress: this.newProgress(),
      builds,
      regroup,
    };
  }

  private newProgress(): FollowerProgress {
    return new FollowerProgress(
      () => this.options.onStatus?.(this.status()),
      this.options.now ?? Date.now,
    );
  }
}
