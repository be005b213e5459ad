import { streams } from '@refledger/contracts';
import { followerDecider, type FollowerState } from '@refledger/domain';
import type { EventLog } from '../event-log.js';
import { loadStream } from '../load-stream.js';
import { pause } from './backoff.js';

/** What operators have decided about a follower so far. */
export interface Decisions {
  readonly state: FollowerState;
  /** How many events of the follower's own stream this takes in. */
  readonly count: number;
}

export const readDecisions = async (log: EventLog, follower: string): Promise<Decisions> => {
  const { state, revision = -1 } = await loadStream(
    log,
    followerDecider,
    streams.follower(follower),
  );
  return { state, count: revision + 1 };
};

/** Resolves when there is a decision after `known`, or the signal aborts. A log that is away is asked again. */
export const nextDecision = async (
  log: EventLog,
  follower: string,
  known: Decisions,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted && !(await isThereMore(log, follower, known))) await pause(pollMs, signal);
};

const pollMs = 250;

const isThereMore = async (
  log: EventLog,
  follower: string,
  { count }: Decisions,
): Promise<boolean> => {
  try {
    for await (const events of log.readStream(streams.follower(follower), { from: count }))
      if (events.length > 0) return true;
  } catch {
    // the follower says what is wrong with the log when it goes on
  }
  return false;
};
