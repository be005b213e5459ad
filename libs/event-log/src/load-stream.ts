import type {
  AccountId,
  DomainEvent,
  Position,
  RecordedEvent,
  StreamName,
} from '@refledger/contracts';
import { metaOf, type Decider } from '@refledger/domain';
import { decodeEvent } from './codec.js';
import type { EventLog, LoggedEvent } from './event-log.js';

/**
 * A folded stream. `revision`, `position` and `recordedAt` are those of its last event; `accountId`
 * is the account that owns the stream. They are undefined when the stream has no events;
 * `accountId` also when no account owns the stream.
 */
export interface LoadedStream<State> {
  readonly state: State;
  readonly accountId: AccountId | undefined;
  readonly revision: number | undefined;
  readonly position: Position | undefined;
  readonly recordedAt: string | undefined;
}

/** A folded stream with the id of its last event, so that reading can continue from there. */
export interface FoldedStream<State> extends LoadedStream<State> {
  readonly lastEventId: string | undefined;
}

/** The result of loading a stream that does not exist. */
export const nothingLoaded = <State>({
  initial: state,
}: Pick<Decider<never, State, never>, 'initial'>): LoadedStream<State> => ({
  state,
  accountId: undefined,
  revision: undefined,
  position: undefined,
  recordedAt: undefined,
});

/** Reads a stream to its end and folds it. Throws `UnreadableEvent`. */
export const loadStream = async <State, Event extends DomainEvent>(
  log: EventLog,
  decider: Decider<never, State, Event>,
  stream: StreamName,
): Promise<FoldedStream<State>> => {
  let folded: FoldedStream<State> = { ...nothingLoaded(decider), lastEventId: undefined };
  for await (const batch of log.readStream(stream)) {
    for (const event of batch) folded = foldEvent(folded, decider, event);
  }
  return folded;
};

/**
 * Continues reading a stream from where it was folded before. Undefined when the event that was its
 * last one at that time is no longer there (the log was restored from a backup, or the answering
 * node is behind): the earlier state is then invalid.
 */
export const continueReading = async <State, Event extends DomainEvent>(
  log: EventLog,
  decider: Decider<never, State, Event>,
  stream: StreamName,
  before: FoldedStream<State>,
): Promise<FoldedStream<State> | undefined> => {
  let folded: FoldedStream<State> | undefined;
  for await (const batch of log.readStream(stream, { from: before.revision ?? 0 })) {
    for (const event of batch) {
      if (folded !== undefined) folded = foldEvent(folded, decider, event);
      else if (event.id === before.lastEventId) folded = before;
      else return undefined;
    }
  }
  return folded;
};

const foldEvent = <State, Event extends DomainEvent>(
  { state, accountId }: FoldedStream<State>,
  decider: Decider<never, State, Event>,
  logged: LoggedEvent,
): FoldedStream<State> => {
  const event = decodeEvent(logged);
  return {
    // the decoding boundary: a stream holds the events of its own aggregate
    state: decider.evolve(state, event as RecordedEvent & Event, metaOf(event)),
    accountId: accountId ?? event.metadata.account_id ?? undefined,
    revision: event.revision,
    position: event.position,
    recordedAt: event.metadata.recorded_at,
    lastEventId: event.id,
  };
};
