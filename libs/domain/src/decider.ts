/**
 * What a business rule is made of: the state before anything happened, a decision, and how an event changes the state.
 * All three are pure. `decide` returns the events that follow (none: nothing to do) or throws a `DomainError`.
 */
export interface Decider<Command, State, Event> {
  readonly initial: State;
  decide(command: Command, state: State): readonly Event[];
  /** `at` is the event's own: its checkpoint in the stream and the instant it was recorded. */
  evolve(state: State, event: Event, at: EventMeta): State;
}

export interface EventMeta {
  readonly revision: number;
  readonly recordedAt: string;
}

/** What an event must carry to be folded. */
export interface Located {
  readonly revision: number;
  readonly metadata: { readonly recorded_at: string };
}

export const metaOf = ({ revision, metadata }: Located): EventMeta => ({
  revision,
  recordedAt: metadata.recorded_at,
});

/** The state after all events, in order. */
export const fold = <State, Event>(
  decider: Decider<never, State, Event>,
  events: Iterable<Event & Located>,
  from: State = decider.initial,
): State => {
  let state = from;
  for (const event of events) state = decider.evolve(state, event, metaOf(event));
  return state;
};

/** What every event leaves on its record. */
export const touched = ({ recordedAt, revision }: EventMeta) => ({
  updated_at: recordedAt,
  revision,
});
