/**
 * What a business rule is made of: the state before anything happened, a decision, and how an event changes the state.
 * All three are pure. `decide` returns the events that follow (none: nothing to do) or throws a `DomainError`.
 */
export interface Decider<Command, State, Event> {
  readonly initial: State;
  decide(command: Command, state: State): readonly Event[];
  /** `at` is the event's own: its place in the stream and the instant it was recorded. */
  evolve(state: State, event: Event, at: EventPlace): State;
}

export interface EventPlace {
  readonly revision: number;
  readonly recordedAt: string;
}

/** What an event must carry to be folded. */
export interface Placed {
  readonly revision: number;
  readonly metadata: { readonly recorded_at: string };
}

export const placeOf = ({ revision, metadata }: Placed): EventPlace => ({
  revision,
  recordedAt: metadata.recorded_at,
});

/** The state after all events, in order. */
export const fold = <State, Event>(
  decider: Decider<never, State, Event>,
  events: Iterable<Event & Placed>,
  from: State = decider.initial,
): State => {
  let state = from;
  for (const event of events) state = decider.evolve(state, event, placeOf(event));
  return state;
};

/** What every event leaves on its record. */
export const touched = ({ recordedAt, revision }: EventPlace) => ({
  updated_at: recordedAt,
  revision,
});
