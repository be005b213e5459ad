import { comparePositions, type Position } from '@refledger/contracts';
import type { OutOfLogTime } from '@refledger/domain';
import type { LogBatch } from '@refledger/event-log';
import type { Projection } from '../projection.js';
import type { KeptBuild } from './plan-builds.js';
import type { ProjectionGroup } from './projection-group.js';
import type { RebuildRequested } from './rebuilds-requested.js';

/** What a group knew when it began to follow the log. */
export interface Begun extends OutOfLogTime {
  /** How far each build had got, by its id; undefined: it was at the beginning. */
  readonly reached: ReadonlyMap<string, Position | undefined>;
}

/**
 * The rebuilds that become necessary because an operator's decision in a batch discounts events
 * that a build of the group has already been shown.
 */
export const rebuildsByDiscount = (
  projections: readonly Projection[],
  group: ProjectionGroup,
  { events }: LogBatch,
  begun: Begun,
): readonly RebuildRequested[] => {
  const requests: RebuildRequested[] = [];
  const builds = group.builds.filter((kept) => kept.projection.followsLogTime === true);
  for (const { id, type, position } of events) {
    if (type !== 'log_time.discounted') continue;
    for (const kept of builds) {
      const projection = projections.find(({ name }) => name === kept.projection.name);
      if (projection !== undefined && wasShown(kept, position, group, begun))
        // a build that replaces this one may itself meet the decision
        requests.push({ projection, cause: `${id} ${kept.build.id}` });
    }
  }
  return requests;
};

/**
 * Whether a build that has not reached a decision may have been shown what the decision discounts.
 */
const wasShown = (
  kept: KeptBuild,
  decision: Position,
  group: ProjectionGroup,
  { discounts, reached }: Begun,
): boolean => {
  const now = group.reachedBy(kept);
  if (now !== undefined && comparePositions(decision, now) <= 0) return false;
  const discount = discounts.find(({ through }) => through === decision);
  if (discount === undefined) return true;
  const began = reached.get(kept.build.id);
  return began !== undefined && comparePositions(discount.from, began) <= 0;
};
