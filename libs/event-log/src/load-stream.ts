import type { DomainEvent, Position, StreamName } from '@refledger/contracts';
import { placeOf, type Decider } from '@refledger/domain';
import { decodeEvent } from './codec.js';
import type { EventLog } from './event-log.js';

/** A stream folded: `revision` and `position` are of its last event, `accountId` the account it belongs to; undefined when there is no event. */
export interface Loaded<State> {
  readonly state: State;
  readonly accountId: string | undefined;
  readonly revision: number | undefined;
  readonly position: Position | undefined;
}

/** What loading a stream that isn't there comes to. */
export const nothingLoaded = <State>({ initial: state }: Pick<Decider<never, State, never>, 'initial'>): Loaded<State> => ({ state, accountId: undefined, revision: undefined, position: undefined });

/** Reads a stream to its end and folds it. Throws `UnreadableEvent`. */
export const loadStream = async <State, Event extends DomainEvent>(log: EventLog, decider: Decider<never, State, Event>, stream: StreamName): Promise<Loaded<State>> => {
  let { initial: state } = decider;
  let accountId: string | undefined;
  let revision: number | undefined;
  let position: Position | undefined;
  for await (const batch of log.readStream(stream)) {
    for (const logged of batch) {
      const event = decodeEvent(logged);
      // the border of decoding: a stream holds the events of its own aggregate
      state = decider.evolve(state, event as unknown as Event, placeOf(event));
      ({ revision, position } = event);
      accountId ??= event.metadata.account_id ?? undefined;
    }
  }
  return { state, accountId, revision, position };
};
