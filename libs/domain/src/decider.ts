/**
 * A business rule: the initial state, the decision on a command, and the change of state by an
 * event. All three are pure. `decide` returns the resulting events (none if there is nothing to do)
 * or throws a `DomainError`.
 */
export interface Decider<Command, State, Event> {
  readonly initial: State;
  decide(command: Command, state: State): readonly Event[];
  /**
   * `at` belongs to the event: its revision in the stream and the instant at which it was recorded.
   */
  evolve(state: State, event: Event, at: EventMeta): State;
}

/** The revision of an event in its stream, and the instant at which it was recorded (RFC 3339). */
export interface EventMeta {
  readonly revision: number;
  readonly recordedAt: string;
}

/** The members that an event needs to be folded. */
export interface EventLocation {
  readonly revision: number;
  readonly metadata: { readonly recorded_at: string };
}

/** Returns the revision and the instant of a recorded event. */
export const metaOf = ({ revision, metadata }: EventLocation): EventMeta => ({
  revision,
  recordedAt: metadata.recorded_at,
});

/** Returns the state after all events, in order. */
export const fold = <State, Event>(
  decider: Decider<never, State, Event>,
  events: Iterable<Event & EventLocation>,
  from: State = decider.initial,
): State => {
  let state = from;
  for (const event of events) state = decider.evolve(state, event, metaOf(event));
  return state;
};

/** The fields that every event sets on its record. */
export const touched = ({ recordedAt, revision }: EventMeta) => ({
  updated_at: recordedAt,
  revision,
});
