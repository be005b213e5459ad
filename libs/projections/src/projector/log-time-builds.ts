import { comparePositions, streams } from '@refledger/contracts';
import { postingName } from '@refledger/domain';
import type { LogBatch, LoggedEvent } from '@refledger/event-log';
import type { Projection } from '../projection.js';
import type { StartState } from './group-processor.js';
import type { BuildWithProjection } from './plan-builds.js';
import type { ProjectionGroup } from './projection-group.js';
import type { RebuildRequested } from './rebuilds-requested.js';

/**
 * The rebuilds that become necessary because an operator's decision in a batch takes events out of
 * log time, or back into it, that a build of the group may already have passed.
 */
export const rebuildsByDecision = (
  projections: readonly Projection[],
  group: ProjectionGroup,
  { events }: LogBatch,
  begun: StartState,
): readonly RebuildRequested[] => {
  const requests: RebuildRequested[] = [];
  const builds = group.builds.filter((kept) => kept.projection.followsLogTime === true);
  for (const event of events) {
    if (!changesLogTime(event)) continue;
    for (const kept of builds) {
      const projection = projections.find(({ name }) => name === kept.projection.name);
      if (projection !== undefined && hasPassed(kept, event, group, begun))
        // a build that replaces this one may itself meet the decision
        requests.push({ projection, cause: `${event.id} ${kept.build.id}` });
    }
  }
  return requests;
};

const changesLogTime = ({ stream, type, data }: LoggedEvent): boolean => {
  if (stream !== streams.processor(postingName)) return false;
  if (type !== 'processor.resumed')
    return type === 'log_time.ignored' || type === 'processor.skipped';
  // the decoding boundary: a decision to resume may lift a skip
  return (data as { readonly lifts?: object }).lifts !== undefined;
};

/**
 * Whether a build that has not reached a decision may have passed, without knowing it, an event
 * that the decision is about. In a copied log, only a decision to ignore times says where it is.
 */
const hasPassed = (
  kept: BuildWithProjection,
  { position, revision }: LoggedEvent,
  group: ProjectionGroup,
  { decisions, reached }: StartState,
): boolean => {
  const now = group.reachedBy(kept);
  if (now !== undefined && comparePositions(position, now) <= 0) return false;
  if (revision > decisions.revision) return true;
  const began = reached.get(kept.build.id);
  if (began === undefined) return false;
  const ignored = decisions.ignoredTimes.find(({ through }) => through === position);
  return ignored === undefined || comparePositions(ignored.from, began) <= 0;
};
