import type { Position } from '@refledger/contracts';
import type { FollowerState } from '@refledger/domain';
import type { EventLog, LogBatch } from '../event-log.js';
import { backoffMs, pause } from './backoff.js';
import { nextDecision, readDecisions, type Decisions } from './decisions.js';
import type { FollowerProgress } from './follower-progress.js';
import { FollowerRefusal } from './follower-refusal.js';
import { PoisonEvent } from './poison-event.js';

/** The part of a logger (pino's) that followers need. */
export interface FollowerLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface Follower {
  /** Its stream `refledger.follower-<name>` holds what operators decide. */
  readonly name: string;
  readonly log: EventLog;
  readonly logger: FollowerLogger;
  readonly progress: FollowerProgress;
  /** Asked before every subscription: checks the checkpoint and says after which position to go on. Throws `FollowerRefusal` when only an operator can say. */
  begin(decisions: FollowerState): Promise<Position | undefined>;
  /** Deals with a batch and its checkpoint durably. Throws `PoisonEvent` when it can't get past an event; other errors are tried again. */
  handle(batch: LogBatch): Promise<void>;
  /** Asked after each batch, and waited for before the next is read. */
  rest?(batch: LogBatch): Promise<void>;
}

/** Most events of one batch while catching up. */
export const followerBatchSize = 1000;

/**
 * Follows the log until the signal aborts. Whatever fails is tried again from the checkpoint, for ever, with growing pauses; a poison
 * event, or a refusal to begin, stops it, loudly, until there is a new decision in its stream. Never rejects.
 */
export const follow = async (follower: Follower, signal: AbortSignal): Promise<void> => {
  let failures = 0;
  while (!signal.aborted) {
    let decisions: Decisions | undefined;
    try {
      decisions = await readDecisions(follower.log, follower.name);
      await followOnce(follower, decisions.state, signal, () => (failures = 0));
      if (!signal.aborted) throw new Error('the subscription ended');
    } catch (error) {
      if (signal.aborted) return;
      if (
        (error instanceof PoisonEvent || error instanceof FollowerRefusal) &&
        decisions !== undefined
      )
        await stop(follower, error, decisions, signal);
      else await retry(follower, error, ++failures, signal);
    }
  }
};

const followOnce = async (
  follower: Follower,
  decisions: FollowerState,
  signal: AbortSignal,
  onHandled: () => void,
): Promise<void> => {
  const { log, progress } = follower;
  const after = await follower.begin(decisions);
  if (signal.aborted) return;
  progress.begins(after, await log.head());
  for await (const batch of log.subscribe({ after, signal, batchSize: followerBatchSize })) {
    progress.takes(batch);
    if (batch.events.length > 0) await follower.handle(batch);
    progress.handled(batch);
    if (progress.isAtKnownHead) progress.sees(await log.head());
    onHandled();
    await follower.rest?.(batch);
  }
};

const stop = async (
  follower: Follower,
  reason: PoisonEvent | FollowerRefusal,
  known: Decisions,
  signal: AbortSignal,
): Promise<void> => {
  const { name, log, logger } = follower;
  if (reason instanceof PoisonEvent) saysPoison(follower, reason);
  else saysRefusal(follower, reason);
  await nextDecision(log, name, known, signal);
  if (!signal.aborted) logger.info({ follower: name }, `${name} goes on: there is a new decision`);
};

const saysPoison = ({ name, logger, progress }: Follower, poison: PoisonEvent): void => {
  const { id, type, position, stream, metadata } = poison.event;
  progress.fails('stopped', poison, Date.parse(metadata.recorded_at));
  logger.error(
    { follower: name, position, event_id: id, event_type: type, stream, err: poison },
    `${name} has stopped at position ${position}: mend it, or let it go on with: ops skip ${name} ${position}`,
  );
};

const saysRefusal = ({ name, logger, progress }: Follower, refusal: FollowerRefusal): void => {
  const advice = `decide where it goes on: ops resume ${name} --from start|head|<position>`;
  progress.fails('stopped', `${refusal.message}; ${advice}`);
  logger.error({ follower: name }, `${name} refuses to go on: ${refusal.message}; ${advice}`);
};

const retry = async (
  { name, logger, progress }: Follower,
  error: unknown,
  failures: number,
  signal: AbortSignal,
): Promise<void> => {
  const wait = backoffMs(failures, Math.random());
  progress.fails('retrying', error);
  logger.warn(
    { follower: name, failures, wait_ms: Math.round(wait), err: error },
    `${name} tries again from its checkpoint`,
  );
  await pause(wait, signal);
};
