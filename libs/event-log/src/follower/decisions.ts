import { streams, type FollowerEvent } from '@refledger/contracts';
import { followerDecider, fold, type FollowerState } from '@refledger/domain';
import { decodeEvent } from '../codec.js';
import type { EventLog } from '../event-log.js';
import { pause } from './backoff.js';

/** What operators have decided about a follower so far. */
export interface Decisions {
  readonly state: FollowerState;
  /** How many events of the follower's own stream this takes in. */
  readonly count: number;
}

export const readDecisions = async (log: EventLog, follower: string): Promise<Decisions> => {
  let state = followerDecider.initial;
  let count = 0;
  for await (const events of log.readStream(streams.follower(follower))) {
    state = fold(followerDecider, events.map(decodeEvent).filter(isFollowerEvent), state);
    count += events.length;
  }
  return { state, count };
};

/** Resolves when there is a decision after `known`, or the signal aborts. A log that is away is asked again. */
export const nextDecision = async (log: EventLog, follower: string, known: Decisions, signal: AbortSignal, pollMs = 250): Promise<void> => {
  while (!signal.aborted && !(await isThereMore(log, follower, known))) await pause(pollMs, signal);
};

const isThereMore = async (log: EventLog, follower: string, { count }: Decisions): Promise<boolean> => {
  try {
    for await (const events of log.readStream(streams.follower(follower), { from: count })) if (events.length > 0) return true;
  } catch {
    // the follower says what is wrong with the log when it goes on
  }
  return false;
};

const isFollowerEvent = <E extends { type: string }>(event: E): event is Extract<E, { type: FollowerEvent['type'] }> => event.type.startsWith('follower.');
