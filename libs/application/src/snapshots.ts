import type { DomainEvent, StreamName } from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import {
  loadStream,
  continueReading,
  type EventLog,
  type FoldedStream,
} from '@refledger/event-log';

/** A stream's state as of some event, from which reading can continue. */
export interface Snapshot<State> extends FoldedStream<State> {
  readonly revision: number;
  readonly lastEventId: string;
}

/**
 * Returns a snapshot of a stream made by the same decider, or undefined when there is none; the
 * stream is then read from its start. A snapshot may be missing or old, but never wrong.
 */
export type SnapshotOf = <State, Event>(
  decider: Decider<never, State, Event>,
  stream: StreamName,
) => Promise<Snapshot<State> | undefined>;

/** Snapshots of the streams of one decider, and none of any other stream. */
export const snapshotsFor =
  <State>(
    decider: Pick<Decider<never, State, never>, 'initial'>,
    find: (stream: StreamName) => Promise<Snapshot<State> | undefined>,
  ): SnapshotOf =>
  async <Asked, Event>(asked: Decider<never, Asked, Event>, stream: StreamName) => {
    const snapshot: unknown = Object.is(asked, decider) ? await find(stream) : undefined;
    // the same decider has the same type of state
    return snapshot as Snapshot<Asked> | undefined;
  };

/**
 * Reads a stream to its end, from a snapshot if there is one, otherwise from its start. Throws
 * `UnreadableEvent`.
 */
export const foldStream = async <State, Event extends DomainEvent>(
  log: EventLog,
  decider: Decider<never, State, Event>,
  stream: StreamName,
  snapshotOf: SnapshotOf | undefined,
): Promise<FoldedStream<State>> => {
  const snapshot = await snapshotOf?.(decider, stream);
  const folded = snapshot && (await continueReading(log, decider, stream, snapshot));
  return folded ?? loadStream(log, decider, stream);
};
