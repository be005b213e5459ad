import { DomainError, toPosition, type ProcessorEvent, type Position } from '@refledger/contracts';
import type { Decider } from '../decider.js';

/**
 * What the log holds about a processor: the store of its checkpoint, and the decisions of
 * operators.
 */
export interface ProcessorState {
  /** The store recorded last; undefined before the first start. */
  readonly store_id?: string;
  readonly opened_revision?: number;
  /**
   * The last decision on where to resume. It is pending for the store recorded last while its
   * revision is above `opened_revision`.
   */
  readonly resumed?: { readonly from: ResumeFrom; readonly revision: number };
  /** The ids of events that the processor skips. */
  readonly skipped: ReadonlySet<string>;
  /** The ids of events whose time, and later times up to the decision, are out of log time. */
  readonly discounted: ReadonlySet<string>;
}

/** `start`, `head`, or the position after which to resume. */
export type ResumeFrom = 'start' | 'head' | Position;

export type ProcessorCommand =
  | { readonly type: 'open'; readonly processor: string; readonly store_id: string }
  | { readonly type: 'resume'; readonly processor: string; readonly from: string }
  | {
      readonly type: 'skip';
      readonly processor: string;
      readonly event_id: string;
      readonly position: Position;
    }
  | { readonly type: 'request_rebuild'; readonly processor: string; readonly projection: string }
  | ({ readonly type: 'discount_time' } & DiscountedData);

type DiscountedData = Extract<ProcessorEvent, { type: 'log_time.discounted' }>['data'];

/** Every decision of an operator about a processor goes through the log. */
export const processorDecider: Decider<ProcessorCommand, ProcessorState, ProcessorEvent> = {
  initial: { skipped: new Set(), discounted: new Set() },

  decide(command, state) {
    const { processor } = command;
    switch (command.type) {
      case 'open':
        return command.store_id === state.store_id && pendingDecision(state) === undefined
          ? []
          : [{ type: 'processor.opened', data: { processor, store_id: command.store_id } }];
      case 'resume':
        return [
          { type: 'processor.resumed', data: { processor, from: toResumeFrom(command.from) } },
        ];
      case 'skip': {
        const { event_id, position } = command;
        if (state.skipped.has(event_id)) return [];
        return [{ type: 'processor.skipped', data: { processor, event_id, position } }];
      }
      case 'request_rebuild': {
        const { projection } = command;
        return [{ type: 'processor.rebuild_requested', data: { processor, projection } }];
      }
      case 'discount_time': {
        const { type: _, ...data } = command;
        return state.discounted.has(data.event_id) ? [] : [{ type: 'log_time.discounted', data }];
      }
    }
  },

  evolve(state, event, at) {
    switch (event.type) {
      case 'processor.opened':
        return { ...state, store_id: event.data.store_id, opened_revision: at.revision };
      case 'processor.resumed':
        return {
          ...state,
          resumed: { from: toResumeFrom(event.data.from), revision: at.revision },
        };
      case 'processor.skipped':
        return { ...state, skipped: new Set(state.skipped).add(event.data.event_id) };
      case 'processor.rebuild_requested':
        return state; // the projector reads these requests from the log itself
      case 'log_time.discounted':
        return { ...state, discounted: new Set(state.discounted).add(event.data.event_id) };
    }
  },
};

/**
 * Returns an operator's decision on where to resume that is later than the last `processor.opened`
 * event. Opening the store again records that the decision was carried out.
 */
export const pendingDecision = ({
  resumed,
  opened_revision = -1,
}: ProcessorState): ProcessorState['resumed'] =>
  resumed !== undefined && resumed.revision > opened_revision ? resumed : undefined;

const toResumeFrom = (from: string): ResumeFrom => {
  const place = from === 'start' || from === 'head' ? from : toPosition(from);
  if (place === undefined)
    throw new DomainError(
      'validation_failed',
      `from must be start, head or a position in decimal digits, but was ${JSON.stringify(from)}.`,
    );
  return place;
};
