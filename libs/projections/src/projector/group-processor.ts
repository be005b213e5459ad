import type { Position } from '@refledger/contracts';
import { noDecisions, type PostingDecisions, type ProcessorState } from '@refledger/domain';
import {
  isInLog,
  readPostingDecisions,
  type EventLog,
  type ProcessorLogger,
  type ProcessorProgress,
  type LogBatch,
} from '@refledger/event-log';
import { BuildNotFoundError, type ReadStore } from '@refledger/read-store';
import type { BuildWithProjection } from './plan-builds.js';
import { ProjectionGroup, type Bulk } from './projection-group.js';

/**
 * The processor that maintains the read models. Decisions about it are in
 * `refledger.processor-projector`.
 */
export const projectorName = 'projector';

export interface GroupProcessorOptions {
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly logger: ProcessorLogger;
  readonly progress: ProcessorProgress;
  readonly builds: readonly BuildWithProjection[];
  readonly bulk?: Bulk;
  /**
   * Called when the builds must be planned again: one is gone or belongs to another history of the
   * log.
   */
  readonly regroup: () => void;
}

/** A group's knowledge when it started to follow the log. */
export interface StartState {
  /** The ids of the events that the projector skips. */
  readonly skipped: ReadonlySet<string>;
  /** Operators' decisions about log time. */
  readonly decisions: PostingDecisions;
  /** How far each build had got, by its id; undefined: it was at the start. */
  readonly reached: ReadonlyMap<string, Position | undefined>;
}

/**
 * Creates a processor that follows the log with one group of builds. `start` returns to the saved
 * checkpoints; `take` passes a batch to `handle`.
 */
export const groupProcessor = (
  { log, store, logger, progress, builds, bulk, regroup }: GroupProcessorOptions,
  handle: (batch: LogBatch, group: ProjectionGroup, begun: StartState) => Promise<void>,
) => {
  const group = new ProjectionGroup(builds, store, log.id, bulk);
  let begun: StartState = { skipped: new Set(), decisions: noDecisions, reached: new Map() };
  return {
    name: projectorName,
    log,
    logger,
    group,
    progress,
    start: async (state: ProcessorState): Promise<Position | undefined> => {
      const decisions = await readPostingDecisions(log);
      await group.restart();
      const reached = new Map(builds.map((kept) => [kept.build.id, group.reachedBy(kept)]));
      begun = { skipped: state.skipped, decisions, reached };
      for (const checkpoint of group.checkpoints) if (!(await isInLog(log, checkpoint))) regroup();
      return group.position;
    },
    take: async (batch: LogBatch): Promise<void> => {
      try {
        await handle(batch, group, begun);
      } catch (error) {
        if (!(error instanceof BuildNotFoundError)) throw error;
        regroup();
      }
    },
  };
};
