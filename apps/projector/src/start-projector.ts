import type { StartBatches } from '@refledger/platform';
import {
  allProjections,
  Projector,
  type GroupBatch,
  type MakeTerms,
  type ProjectorOptions,
} from '@refledger/projections';

export interface StartProjectorOptions extends Omit<ProjectorOptions, 'projections'> {
  readonly makeTerms: MakeTerms;
  readonly startBatches: StartBatches;
}

/**
 * Runs the projector with all read models on a log and a store that the caller opens and closes. Closing the projector
 * ends it after the current batch. `planned` resolves once builds that belong to another history
 * (after a restore of the log) have been dropped. Only then are the read models safe to read.
 */
export const startProjector = async ({
  makeTerms,
  startBatches,
  ...options
}: StartProjectorOptions) => {
  const projector = new Projector({
    ...options,
    projections: allProjections(makeTerms, options.log),
  });
  const app = await startBatches(projector, (batch: GroupBatch) => batch.apply());
  return {
    status: () => projector.status(),
    planned: projector.planned,
    close: () => app.close(),
  };
};
