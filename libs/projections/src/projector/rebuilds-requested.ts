import { comparePositions } from '@refledger/contracts';
import type { LogBatch } from '@refledger/event-log';
import type { Projection } from '../projection.js';
import { projectorName } from './group-processor.js';
import type { ProjectionGroup } from './projection-group.js';
import { decodeBatch } from './decode-batch.js';

export interface RebuildRequested {
  readonly projection: Projection;
  /** The id of the request: reading the request again asks for the same build. */
  readonly cause: string;
}

/**
 * The rebuilds that operators request in a batch, for projections whose builds in the group are not
 * past the request.
 */
export const rebuildsRequested = (
  projections: readonly Projection[],
  group: ProjectionGroup,
  { events }: LogBatch,
  skipped: ReadonlySet<string>,
): readonly RebuildRequested[] => {
  const logged = events.filter(({ type }) => type === 'processor.rebuild_requested');
  const requests: RebuildRequested[] = [];
  for (const event of decodeBatch(logged, skipped).events) {
    if (event.type !== 'processor.rebuild_requested' || event.data.processor !== projectorName)
      continue;
    const projection = projections.find(({ name }) => name === event.data.projection);
    const kept = group.builds.find((member) => member.projection.name === event.data.projection);
    if (projection === undefined || kept === undefined) continue;
    const reached = group.reachedBy(kept);
    if (reached === undefined || comparePositions(event.position, reached) > 0)
      requests.push({ projection, cause: event.id });
  }
  return requests;
};
