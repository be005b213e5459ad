import { comparePositions } from '@refledger/contracts';
import type { LogBatch } from '@refledger/event-log';
import type { View } from '../view.js';
import { understand } from './understand.js';
import type { ViewGroup } from './view-group.js';

export interface RebuildRequested {
  readonly view: View;
  /** The id of the request: whoever meets it again asks for the same build. */
  readonly cause: string;
}

/** Whose rebuilds are looked for. */
export interface RebuildsOf {
  readonly follower: string;
  readonly views: readonly View[];
  readonly group: ViewGroup;
}

/** The rebuilds that operators ask for in a batch, of views of the group that have not gone past the request. */
export const rebuildsRequested = (
  { follower, views, group }: RebuildsOf,
  { events }: LogBatch,
  skipped: ReadonlySet<string>,
): readonly RebuildRequested[] => {
  const logged = events.filter(({ type }) => type === 'follower.rebuild_requested');
  const requests: RebuildRequested[] = [];
  for (const event of understand(logged, skipped).events) {
    if (event.type !== 'follower.rebuild_requested' || event.data.follower !== follower) continue;
    const view = views.find(({ name }) => name === event.data.view);
    const kept = group.builds.find((member) => member.view.name === event.data.view);
    if (view === undefined || kept === undefined) continue;
    const reached = group.reachedBy(kept);
    if (reached === undefined || comparePositions(event.position, reached) > 0)
      requests.push({ view, cause: event.id });
  }
  return requests;
};
