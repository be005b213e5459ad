import type { Position } from '@refledger/contracts';
import type { FollowerState } from '@refledger/domain';
import type { EventLog, FollowerLogger, FollowerProgress, LogBatch } from '@refledger/event-log';
import { BuildGone, type ReadStore } from '@refledger/read-store';
import type { KeptBuild } from './kept-build.js';
import { isInLog } from './plan-builds.js';
import { ViewGroup, type Bulk } from './view-group.js';

export interface GroupFollowerOptions {
  readonly name: string;
  readonly log: EventLog;
  readonly store: ReadStore;
  readonly logger: FollowerLogger;
  readonly progress: FollowerProgress;
  readonly builds: readonly KeptBuild[];
  readonly bulk?: Bulk;
  /** Called when the set of builds has to be looked at again: one is gone, or is of another history of the log. */
  readonly regroup: () => void;
}

/** Follows the log with one group of builds: `begin` goes back to what they have saved, `take` hands a batch to `handle`. */
export const groupFollower = (
  { name, log, store, logger, progress, builds, bulk, regroup }: GroupFollowerOptions,
  handle: (batch: LogBatch, group: ViewGroup, skipped: ReadonlySet<string>) => Promise<void>,
) => {
  const group = new ViewGroup(builds, store, log.id, bulk);
  let skipped: ReadonlySet<string> = new Set();
  return {
    name,
    log,
    logger,
    group,
    progress,
    begin: async (decisions: FollowerState): Promise<Position | undefined> => {
      skipped = decisions.skipped;
      await group.restart();
      for (const checkpoint of group.checkpoints) if (!(await isInLog(log, checkpoint))) regroup();
      return group.position;
    },
    take: async (batch: LogBatch): Promise<void> => {
      try {
        await handle(batch, group, skipped);
      } catch (error) {
        if (!(error instanceof BuildGone)) throw error;
        regroup();
      }
    },
  };
};
