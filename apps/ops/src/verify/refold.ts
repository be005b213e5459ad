import { comparePositions, type Position } from '@refledger/contracts';
import type { OutOfLogTime } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { largeBulk, ProjectionGroup, type Projection } from '@refledger/projections';

/** Events that operators have excluded. */
export interface ExcludedEvents {
  /** The ids of the events that the projector skips. */
  readonly skipped: ReadonlySet<string>;
  /** The decisions that exclude events from log time. */
  readonly decisions: OutOfLogTime;
}

/**
 * Folds projections from the log into an empty store with the projector's own code, up to any
 * position. It can be called repeatedly to go further.
 */
export class Refold {
  constructor(
    private readonly log: EventLog,
    private readonly store: ReadStore,
    private readonly excluded: ExcludedEvents,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Applies every event up to `bound` that the projections do not have yet. Throws `PoisonEvent`.
   */
  async applyUpTo(
    bound: Position,
    projections: readonly Projection[],
    onProgress: (position: Position) => void = () => undefined,
  ): Promise<void> {
    const builds = await Promise.all(
      projections.map(async (projection) => ({
        projection,
        build: await this.buildOf(projection),
      })),
    );
    const group = new ProjectionGroup(builds, this.store, this.log.id, largeBulk);
    if (group.position !== undefined && comparePositions(group.position, bound) >= 0) return;
    for await (const { events, through } of this.log.readAll({
      after: group.position,
      batchSize: 1_000,
    })) {
      this.signal.throwIfAborted();
      await group.apply(
        {
          events: events.filter(({ position }) => comparePositions(position, bound) <= 0),
          through,
        },
        this.excluded.skipped,
        this.excluded.decisions,
      );
      onProgress(through);
      if (comparePositions(through, bound) >= 0) break;
    }
    await group.flush();
  }

  async buildOf(projection: Projection) {
    const builds = await this.store.builds(projection.name);
    return (
      builds.find(({ version }) => version === projection.version) ??
      (await this.store.createBuild(projection, this.log.id, 'verify'))
    );
  }
}
