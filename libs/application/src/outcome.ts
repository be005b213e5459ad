import type { DomainEvent, EventMetadata } from '@refledger/contracts';
import { metaOf, type Decider } from '@refledger/domain';
import type { AppendResult, LoadedStream } from '@refledger/event-log';

/** The result of a command. No events means that there was nothing to do. */
export interface Outcome<State, Event> extends LoadedStream<State> {
  readonly events: readonly Event[];
}

/** The outcome of appending events to a loaded stream: its state with these events folded in. */
export const outcomeOf = <State, Event extends DomainEvent>(
  decider: Decider<never, State, Event>,
  loaded: LoadedStream<State>,
  {
    events,
    appended: { revision, position },
    metadata,
  }: {
    readonly events: readonly Event[];
    readonly appended: AppendResult;
    readonly metadata: Pick<EventMetadata, 'account_id' | 'recorded_at'>;
  },
): Outcome<State, Event> => {
  const first = revision - events.length + 1;
  const state = events.reduce(
    (before, event, index) =>
      decider.evolve(before, event, metaOf({ revision: first + index, metadata })),
    loaded.state,
  );
  return {
    state,
    events,
    accountId: loaded.accountId ?? metadata.account_id ?? undefined,
    revision,
    position,
    recordedAt: metadata.recorded_at,
  };
};
