import { randomUUID } from 'node:crypto';
import type { Position } from '@refledger/contracts';
import {
  backoffMs,
  follow,
  ProcessorProgress,
  sleepBeforeRetry,
  type EventLog,
  type ProcessorLogger,
  type ProcessorStatus,
  type LogBatch,
} from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import type { Projection } from '../projection.js';
import { buildingProcessor } from './building-processor.js';
import { groupProcessor, projectorName, type GroupProcessorOptions } from './group-processor.js';
import { whileLeased } from './while-leased.js';
import { planBuilds, type BuildPlan, type BuildWithProjection } from './plan-builds.js';
import { rebuildsByDecision } from './log-time-builds.js';
import { rebuildsRequested } from './rebuilds-requested.js';
import { earliestOf } from './earliest.js';
import { lingerAfter } from './linger.js';
import type { ProjectionGroup } from './projection-group.js';

/** The stores that the projector reads and maintains. */
export interface ProjectorOptions {
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly projections: readonly Projection[];
  readonly logger: ProcessorLogger;
  readonly onStatus?: (status: ProjectorStatus) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /**
   * If several projectors share the store, another one takes over this long after the last renewal
   * of the working one's lease.
   */
  readonly leaseMs?: number;
}

/**
 * The status of the live projections or, while there are none, of those being built. The status of
 * a group that is stopped, or else of one that fails, is shown instead.
 */
export interface ProjectorStatus extends ProcessorStatus {
  /** Another projector holds the lease. */
  readonly standingBy: boolean;
  /** The projections being built, and the position that they have reached. */
  readonly building:
    | { readonly projections: readonly string[]; readonly position: Position | undefined }
    | undefined;
}

/** A batch for one group of builds. */
export interface GroupBatch extends LogBatch {
  readonly apply: () => Promise<void>;
}

/**
 * Maintains all projections. Follows the log with the live builds and, separately, with those being
 * built; of either, projections that complete documents are a group of their own. Whenever the set of builds changes (one goes live, is requested or is gone), both stop
 * after their current batch, the builds are planned again, and both continue from their
 * checkpoints.
 */
export class Projector {
  private readonly now: () => number;
  private live: readonly Following[] = [];
  private building: readonly Following[] = [];
  private standingBy = false;
  private readonly planning: ProcessorProgress;
  private resolvePlanned: () => void = () => undefined;
  /**
   * Resolves once the projector has checked which builds belong to this log's history. Before that,
   * reads could use builds of a log that has since been restored.
   */
  readonly planned = new Promise<void>((resolve) => (this.resolvePlanned = resolve));

  constructor(private readonly options: ProjectorOptions) {
    this.now = options.now ?? Date.now;
    this.planning = this.newProgress();
  }

  /**
   * Runs until the signal aborts; never rejects. Passes every batch to `deliver`, which must call
   * its `take` and pass on its errors. If several projectors share a store, one works and the
   * others stand by.
   */
  async run(deliver: (batch: GroupBatch) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { store, logger, leaseMs = 10_000 } = this.options;
    const lease = {
      store,
      name: projectorName,
      holder: `${projectorName}-${randomUUID()}`,
      leaseMs,
      logger,
      onStandBy: (standingBy: boolean) => this.standBy(standingBy),
    };
    await whileLeased(lease, (until) => this.keepProjections(deliver, until), signal);
  }

  status(): ProjectorStatus {
    const live = this.live.map(({ progress }) => progress.status());
    const building = this.building.map(({ progress }) => progress.status());
    const all = [...live, ...building];
    const shown =
      all.find(({ state }) => state === 'stopped') ??
      all.find(({ state }) => state === 'retrying') ??
      live[0] ??
      (building[0] && whileBuilding(building[0])) ??
      this.planning.status();
    return { ...shown, standingBy: this.standingBy, building: buildingIn(this.building) };
  }

  private async keepProjections(
    deliver: (batch: GroupBatch) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const recovery = this.options.log.availability?.recovery;
      try {
        const plan = await planBuilds(this.options, this.options.projections);
        this.resolvePlanned();
        await this.follow(plan, deliver, signal);
        failures = 0;
      } catch (error) {
        const wait = backoffMs(++failures, Math.random());
        this.live = this.building = [];
        this.planning.fail('retrying', error);
        this.options.logger.warn(
          { processor: projectorName, failures, wait_ms: Math.round(wait), err: error },
          'the read models cannot be inspected; retrying',
        );
        await sleepBeforeRetry(wait, signal, recovery);
      }
    }
  }

  private standBy(standingBy: boolean): void {
    if (standingBy === this.standingBy) return;
    this.standingBy = standingBy;
    if (standingBy) this.live = this.building = [];
    this.options.logger.info(
      { processor: projectorName },
      standingBy
        ? 'the projector is standing by; another one maintains the read models'
        : 'the projector is maintaining the read models',
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
    const stop = (): void => regroup.abort();
    const live = groupsOf(plan.live).map((builds) => this.liveProcessor(builds, stop));
    const building = groupsOf(plan.building).map((builds) =>
      buildingProcessor(this.groupOptions(builds, stop), this.now),
    );
    [this.live, this.building] = [live, building];
    const members = [...live.map((member) => ({ ...member, linger: lingerAfter })), ...building];
    await Promise.all(
      members.map((member) =>
        follow(
          { ...member, handle: (batch) => deliver({ ...batch, apply: () => member.take(batch) }) },
          until,
        ),
      ),
    );
    // If this fails, the unsaved events are only folded again, so the error is ignored.
    for (const { group } of building) await group.flush().catch(() => undefined);
  }

  private liveProcessor(builds: readonly BuildWithProjection[], regroup: () => void) {
    const { log, store, projections } = this.options;
    return groupProcessor(this.groupOptions(builds, regroup), async (batch, group, begun) => {
      const { skipped, decisions } = begun;
      const requests = [
        ...rebuildsRequested(projections, group, batch, skipped),
        ...rebuildsByDecision(projections, group, batch, begun),
      ];
      for (const { projection, cause } of requests)
        await store.createBuild(projection, log.id, cause);
      await group.apply(batch, skipped, decisions);
      if (requests.length > 0) regroup();
    });
  }

  private groupOptions(
    builds: readonly BuildWithProjection[],
    regroup: () => void,
  ): GroupProcessorOptions {
    const { log, store, logger } = this.options;
    return { log, store, logger, progress: this.newProgress(), builds, regroup };
  }

  private newProgress(): ProcessorProgress {
    return new ProcessorProgress(() => this.options.onStatus?.(this.status()), this.now);
  }
}

/** A group of builds that follows the log. */
interface Following {
  readonly progress: ProcessorProgress;
  readonly group: ProjectionGroup;
}

/** Projections that complete documents may fail alone: the others must go on. */
const groupsOf = (
  builds: readonly BuildWithProjection[],
): readonly (readonly BuildWithProjection[])[] => {
  const completes = ({ projection }: BuildWithProjection): boolean =>
    projection.complete !== undefined;
  const groups = [builds.filter((kept) => !completes(kept)), builds.filter(completes)];
  return groups.filter(({ length }) => length > 0);
};

const buildingIn = (building: readonly Following[]): ProjectorStatus['building'] =>
  building.length === 0
    ? undefined
    : {
        projections: building.flatMap(({ group }) =>
          group.builds.map(({ projection }) => projection.name),
        ),
        position: earliestOf(building.map(({ group }) => group.position)),
      };

/** While nothing can be read yet, a projector is not live, even if it keeps up with the log. */
const whileBuilding = (status: ProcessorStatus): ProcessorStatus =>
  status.state === 'live' ? { ...status, state: 'catching_up' } : status;
