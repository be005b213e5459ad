import {
  eventIdOf,
  type DomainEvent,
  type EventMetadata,
  type StreamName,
} from '@refledger/contracts';
import { metaOf, type Decider } from '@refledger/domain';
import { encodeEvent, type ExpectedRevision, type NewEvent } from '@refledger/event-log';

/** The events to append to a stream, and the expected revision of the stream. */
export interface NewAppend {
  readonly stream: StreamName;
  readonly events: readonly NewEvent[];
  readonly expected: ExpectedRevision;
}

/** The state and revision of a stream. */
export interface StreamState<State> {
  readonly state: State;
  readonly revision: number;
}

/** An append and its result. */
export interface DecidedAppend<State> {
  readonly append: NewAppend;
  /** The state after the append. */
  readonly state: State;
}

interface AppendContext<State> {
  readonly stream: StreamName;
  /** Undefined for a new stream. */
  readonly from: StreamState<State> | undefined;
  readonly commandId: string;
  readonly metadata: Omit<EventMetadata, 'schema'>;
}

/** The events that a decider returns for a command, as `CommandHandler` would append them. */
export const decidedAppend = <Command, State, Event extends DomainEvent>(
  decider: Decider<Command, State, Event>,
  command: Command,
  { stream, from, commandId, metadata }: AppendContext<State>,
): DecidedAppend<State> => {
  const before = from?.state ?? decider.initial;
  const decided = decider.decide(command, before);
  const first = from === undefined ? 0 : from.revision + 1;
  return {
    append: {
      stream,
      events: decided.map((event, index) =>
        encodeEvent(event, eventIdOf(commandId, stream, 0, index), metadata),
      ),
      expected: from?.revision ?? 'no stream',
    },
    state: decided.reduce(
      (state, event, index) =>
        decider.evolve(state, event, metaOf({ revision: first + index, metadata })),
      before,
    ),
  };
};
