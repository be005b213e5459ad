import { DomainError, toPosition } from '@refledger/contracts';
import type { FollowerEvent, Position } from '@refledger/contracts';
import type { Decider } from '../decider.js';

/** What the log says to a follower: the store it keeps its place in, and what operators decided. */
export interface FollowerState {
  /** The store noted last; undefined before a first start. */
  readonly store_id?: string;
  readonly opened_revision?: number;
  /** The last decision where to go on; it holds for the store noted last when its revision is above `opened_revision`. */
  readonly resumed?: { readonly from: ResumeFrom; readonly revision: number };
  /** Ids of events to leave out. */
  readonly skipped: ReadonlySet<string>;
}

/** `start`, `head`, or the position after which to go on. */
export type ResumeFrom = 'start' | 'head' | Position;

export type FollowerCommand =
  | { readonly type: 'open'; readonly follower: string; readonly store_id: string }
  | { readonly type: 'resume'; readonly follower: string; readonly from: string }
  | {
      readonly type: 'skip';
      readonly follower: string;
      readonly event_id: string;
      readonly position: Position;
    }
  | { readonly type: 'request_rebuild'; readonly follower: string; readonly view: string };

/** Everything that an operator decides about a follower goes through the log. */
export const followerDecider: Decider<FollowerCommand, FollowerState, FollowerEvent> = {
  initial: { skipped: new Set() },

  decide(command, state) {
    const { follower } = command;
    switch (command.type) {
      case 'open':
        return command.store_id === state.store_id && pendingDecision(state) === undefined
          ? []
          : [{ type: 'follower.opened', data: { follower, store_id: command.store_id } }];
      case 'resume':
        return [{ type: 'follower.resumed', data: { follower, from: toResumeFrom(command.from) } }];
      case 'skip':
        return state.skipped.has(command.event_id)
          ? []
          : [
              {
                type: 'follower.skipped',
                data: { follower, event_id: command.event_id, position: command.position },
              },
            ];
      case 'request_rebuild':
        return [{ type: 'follower.rebuild_requested', data: { follower, view: command.view } }];
    }
  },

  evolve(state, event, at) {
    switch (event.type) {
      case 'follower.opened':
        return { ...state, store_id: event.data.store_id, opened_revision: at.revision };
      case 'follower.resumed':
        return {
          ...state,
          resumed: { from: toResumeFrom(event.data.from), revision: at.revision },
        };
      case 'follower.skipped':
        return { ...state, skipped: new Set(state.skipped).add(event.data.event_id) };
      case 'follower.rebuild_requested':
        return state; // the views read requests from the log, each in its place
    }
  },
};

/** Where an operator decided to go on since the store was noted last; noting it again says that this was done. */
export const pendingDecision = ({
  resumed,
  opened_revision = -1,
}: FollowerState): FollowerState['resumed'] =>
  resumed !== undefined && resumed.revision > opened_revision ? resumed : undefined;

const toResumeFrom = (from: string): ResumeFrom => {
  const place = from === 'start' || from === 'head' ? from : toPosition(from);
  if (place === undefined)
    throw new DomainError(
      'validation_failed',
      `from must be start, head or a position in decimal digits, got ${JSON.stringify(from)}`,
    );
  return place;
};
