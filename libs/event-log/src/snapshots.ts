import type { DomainEvent, StreamName } from '@refledger/contracts';
import type { Decider } from '@refledger/domain';
import type { EventLog } from './event-log.js';
import { loadStream, readOn, type Folded } from './load-stream.js';

/** A stream's state as of some event, from which it can be read on. */
export interface Snapshot<State> extends Folded<State> {
  readonly revision: number;
  readonly lastEventId: string;
}

/**
 * Returns a snapshot of a stream made by the same decider, or undefined when there is none; the
 * stream is then read from its beginning. A snapshot may be missing or old, but never wrong.
 */
export type SnapshotOf = <State, Event>(
  decider: Decider<never, State, Event>,
  stream: StreamName,
) => Promise<Snapshot<State> | undefined>;

/**
 * Reads a stream to its end, from a snapshot where there is one, else from its beginning. Throws
 * `UnreadableEvent`.
 */
export const foldStream = async <State, Event extends DomainEvent>(
  log: EventLog,
  decider: Decider<never, State, Event>,
  stream: StreamName,
  snapshotOf: SnapshotOf | undefined,
): Promise<Folded<State>> => {
  const snapshot = await snapshotOf?.(decider, stream);
  const folded = snapshot && (await readOn(log, decider, stream, snapshot));
  return folded ?? loadStream(log, decider, stream);
};
