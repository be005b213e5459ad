import type { StartBatches } from '@refledger/platform';
import {
  Projector,
  projections as allProjections,
  type GroupBatch,
  type ProjectorOptions,
} from '@refledger/projections';

export interface StartProjectorOptions extends Omit<ProjectorOptions, 'projections'> {
  /** Default: all of Refledger's projections. */
  readonly projections?: ProjectorOptions['projections'];
  readonly startBatches: StartBatches;
}

/**
 * Runs the projector on a log and a store that the caller opens and closes. Closing the projector
 * ends it after the current batch. `planned` resolves once builds that belong to another history
 * (after a restore of the log) have been dropped. Only then are the read models safe to read.
 */
export const startProjector = async ({
  projections = allProjections,
  startBatches,
  ...options
}: StartProjectorOptions) => {
  const projector = new Projector({ ...options, projections });
  const app = await startBatches(projector, (batch: GroupBatch) => batch.apply());
  return {
    status: () => projector.status(),
    planned: projector.planned,
    close: () => app.close(),
  };
};
