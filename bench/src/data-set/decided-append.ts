import {
  eventIdOf,
  type DomainEvent,
  type EventMetadata,
  type StreamName,
} from '@refledger/contracts';
import { metaOf, type Decider } from '@refledger/domain';
import { encodeEvent, type Expected, type NewEvent } from '@refledger/event-log';

/** What is appended to a stream, and what that expects of it. */
export interface NewAppend {
  readonly stream: StreamName;
  readonly events: readonly NewEvent[];
  readonly expected: Expected;
}

/** What a stream has come to. */
export interface StreamState<State> {
  readonly state: State;
  readonly revision: number;
}

export interface DecidedAppend<State> {
  readonly append: NewAppend;
  /** After the append. */
  readonly state: State;
}

interface AppendContext<State> {
  readonly stream: StreamName;
  /** Undefined for a stream that is to be begun. */
  readonly from: StreamState<State> | undefined;
  readonly commandId: string;
  readonly metadata: Omit<EventMetadata, 'schema'>;
}

/** What a decider makes of a command, as the command runner would append it. */
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
