import {
  DomainError,
  toPosition,
  type ProcessorEvent,
  type ProcessorStop,
  type Position,
} from '@refledger/contracts';
import type { Decider } from '../decider.js';

/**
 * A processor's state in the log: the store of its checkpoint, its stops, and the decisions
 * of operators.
 */
export interface ProcessorState {
  /** The store recorded last; undefined before the first start. */
  readonly store_id?: string;
  readonly opened_revision?: number;
  /** The revision of the decision that was carried out last. */
  readonly followed_revision?: number;
  /** The last stop at which the processor waited for a decision on where to resume. */
  readonly stopped?: { readonly stop: ProcessorStop; readonly revision: number };
  /** The last decision on where to resume. */
  readonly resumed?: ResumeDecision;
  /** The ids of events that the processor skips. */
  readonly skipped: ReadonlySet<string>;
  /** The ids of events whose time, and later times up to the decision, are out of log time. */
  readonly ignoredTimes: ReadonlySet<string>;
}

/** An operator's decision on where to resume. */
export interface ResumeDecision {
  /** `start` if there were only decisions that lift a skip. */
  readonly from: ResumeFrom;
  /** The revision of the decision that says `from`; -1 if there is none. */
  readonly fromRevision: number;
  /** The revision of the last decision. */
  readonly revision: number;
  /** The stop that it is about; null if it names none. */
  readonly stop: ProcessorStop | null;
  /** The events whose skip was lifted since then. The processor goes back to each of them. */
  readonly lifts: readonly { readonly event_id: string; readonly revision: number }[];
}

/** `start`, `head`, or the position after which to resume. */
export type ResumeFrom = 'start' | 'head' | Position;

export type ProcessorCommand =
  | {
      readonly type: 'open';
      readonly processor: string;
      readonly store_id: string;
      /** The decision that was carried out. */
      readonly decision?: ResumeDecision | undefined;
    }
  | { readonly type: 'stop'; readonly processor: string; readonly stop: ProcessorStop }
  | {
      readonly type: 'resume';
      readonly processor: string;
      readonly from: string;
      /** The stop to decide about. Absent for processors that carry out every decision. */
      readonly stop?: ProcessorStop | undefined;
      /** The event at `from`, if it is no longer to be skipped. */
      readonly lifts?: LiftedSkip;
    }
  | {
      readonly type: 'skip';
      readonly processor: string;
      readonly event_id: string;
      readonly position: Position;
    }
  | { readonly type: 'request_rebuild'; readonly processor: string; readonly projection: string }
  | ({ readonly type: 'ignore_time' } & TimeIgnoredData);

type ResumedData = Extract<ProcessorEvent, { type: 'processor.resumed' }>['data'];
/** Identifies an event that is no longer skipped, in a copied log, too. */
type LiftedSkip = NonNullable<ResumedData['lifts']>;

type TimeIgnoredData = Extract<ProcessorEvent, { type: 'log_time.ignored' }>['data'];

/** Every decision of an operator about a processor goes through the log. */
export const processorDecider: Decider<ProcessorCommand, ProcessorState, ProcessorEvent> = {
  initial: { skipped: new Set(), ignoredTimes: new Set() },

  decide(command, state) {
    const { processor } = command;
    switch (command.type) {
      case 'open':
        return opening(command, state);
      case 'stop':
        return stopping(command, state);
      case 'resume':
        return [{ type: 'processor.resumed', data: resumption(command, state) }];
      case 'skip': {
        const { event_id, position } = command;
        if (state.skipped.has(event_id)) return [];
        return [{ type: 'processor.skipped', data: { processor, event_id, position } }];
      }
      case 'request_rebuild': {
        const { projection } = command;
        return [{ type: 'processor.rebuild_requested', data: { processor, projection } }];
      }
      case 'ignore_time': {
        const { type: _, ...data } = command;
        return state.ignoredTimes.has(data.event_id) ? [] : [{ type: 'log_time.ignored', data }];
      }
    }
  },

  evolve(state, event, { revision }) {
    switch (event.type) {
      case 'processor.opened':
        return {
          ...state,
          store_id: event.data.store_id,
          opened_revision: revision,
          ...(event.data.decision !== null && { followed_revision: event.data.decision }),
        };
      case 'processor.stopped':
        return { ...state, stopped: { stop: event.data.stop, revision } };
      case 'processor.resumed':
        return { ...state, ...afterDecision(state, event.data, revision) };
      case 'processor.skipped':
        return { ...state, skipped: new Set(state.skipped).add(event.data.event_id) };
      case 'processor.rebuild_requested':
        return state; // the projector reads these requests from the log itself
      case 'log_time.ignored':
        return { ...state, ignoredTimes: new Set(state.ignoredTimes).add(event.data.event_id) };
    }
  },
};

/**
 * Returns an operator's decision on where to resume that was neither carried out nor discarded.
 * Opening the store records the one, and a later stop the other.
 */
export const pendingDecision = ({
  resumed,
  stopped,
  opened_revision = -1,
}: ProcessorState): ResumeDecision | undefined =>
  resumed !== undefined && resumed.revision > Math.max(opened_revision, stopped?.revision ?? -1)
    ? resumed
    : undefined;

/** Returns the stop at which a processor waits for a decision; undefined if there is none. */
export const pendingStop = ({
  stopped,
  opened_revision = -1,
}: ProcessorState): ProcessorStop | undefined =>
  stopped !== undefined && stopped.revision > opened_revision ? stopped.stop : undefined;

type CommandOf<T extends ProcessorCommand['type']> = Extract<ProcessorCommand, { type: T }>;

const opening = (
  { processor, store_id, decision }: CommandOf<'open'>,
  state: ProcessorState,
): readonly ProcessorEvent[] => {
  const isOpen =
    decision === undefined &&
    store_id === state.store_id &&
    pendingDecision(state) === undefined &&
    pendingStop(state) === undefined;
  const data = { processor, store_id, decision: decision?.revision ?? null };
  return isOpen ? [] : [{ type: 'processor.opened', data }];
};

const stopping = (
  { processor, stop }: CommandOf<'stop'>,
  state: ProcessorState,
): readonly ProcessorEvent[] => {
  const decision = pendingDecision(state);
  const known = decision === undefined ? pendingStop(state) : decision.stop;
  return isSameStop(known, stop) ? [] : [{ type: 'processor.stopped', data: { processor, stop } }];
};

const resumption = (
  { processor, from, stop, lifts }: CommandOf<'resume'>,
  state: ProcessorState,
): ResumedData => {
  if (stop !== undefined && !isSameStop(pendingStop(state), stop))
    throw new DomainError(
      'validation_failed',
      `${processor} no longer waits for this decision. Look at its log, and decide again if it has stopped.`,
    );
  return { processor, from: toResumeFrom(from), stop: stop ?? null, ...(lifts && { lifts }) };
};

const afterDecision = (
  { resumed, skipped }: ProcessorState,
  { from, stop, lifts }: ResumedData,
  revision: number,
): Pick<ProcessorState, 'resumed' | 'skipped'> => {
  if (lifts === undefined)
    return {
      resumed: { from: toResumeFrom(from), fromRevision: revision, revision, stop, lifts: [] },
      skipped,
    };
  const { event_id } = lifts;
  const before = resumed ?? { from: 'start', fromRevision: -1, stop: null, lifts: [] };
  return {
    resumed: { ...before, revision, lifts: [...before.lifts, { event_id, revision }] },
    skipped: new Set([...skipped].filter((id) => id !== event_id)),
  };
};

const toResumeFrom = (from: string): ResumeFrom => {
  const place = from === 'start' || from === 'head' ? from : toPosition(from);
  if (place === undefined)
    throw new DomainError(
      'validation_failed',
      `from must be start, head or a position in decimal digits, but was ${JSON.stringify(from)}.`,
    );
  return place;
};

type MaybeStop = ProcessorStop | null | undefined;

/** Whether two stops found the same recorded store, present store and checkpoint. */
export const isSameStop = (one: MaybeStop, other: MaybeStop): boolean =>
  !isNone(one) && !isNone(other) && keyOf(one) === keyOf(other);

const isNone = (stop: MaybeStop): stop is null | undefined => stop === null || stop === undefined;

const keyOf = ({ recorded_store, present_store, checkpoint }: ProcessorStop): string =>
  JSON.stringify([recorded_store, present_store, checkpoint]);
