import { isEventOf } from '@refledger/contracts';
import type {
  EventOf,
  PublicAggregateKind,
  RecordedEvent,
  StoredRecordOf,
} from '@refledger/contracts';
import { metaOf, type Decider } from './decider.js';

/** A partly folded stream: the record after the last folded event, and the fold of the next. */
export interface RecordFold<A extends PublicAggregateKind = PublicAggregateKind> {
  readonly record: StoredRecordOf<A> | undefined;
  /** Throws when the event belongs to another aggregate. */
  evolve(event: RecordedEvent): RecordFold<A>;
  /**
   * The record after an event, made from it alone; undefined after its last event. Only for streams
   * that several records share.
   */
  recordAlone?(event: RecordedEvent): StoredRecordOf<A> | undefined;
}

/** Returns the fold of a stream before its first event, or after the events that made `state`. */
export const recordFold = <A extends PublicAggregateKind, State>(
  kind: A,
  decider: Decider<never, State, EventOf<A>>,
  recordOf: (state: State) => StoredRecordOf<A> | undefined,
  state = decider.initial,
): RecordFold<A> => ({
  record: recordOf(state),
  evolve(event) {
    if (!isEventOf(kind, event)) throw new Error(`${event.type} is not an event of ${kind}`);
    return recordFold(kind, decider, recordOf, decider.evolve(state, event, metaOf(event)));
  },
});
