import type { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import type { EventStoreDBClient, ResolvedEvent } from '@eventstore/db-client';
import { EventLogError } from '../event-log-error.js';
import { isNotLeader } from './client-errors.js';
import type { Connection } from './connection.js';
import type { Node } from './node.js';
import type { InactivityTimer } from './inactivity-timer.js';
import { isOurs } from './recorded-event.js';

/**
 * A stream of objects that the client opened. Its call ends only with `cancel` or `unsubscribe`.
 */
export type ClientStream<T> = Readable &
  AsyncIterable<T> &
  ({ cancel(): Promise<void> } | { unsubscribe(): Promise<void> });

/** How to gather a stream's objects into batches. */
export interface GatherOptions {
  readonly size: number;
  /** Limits how long the server may be silent; undefined where silence is normal. */
  readonly patience: InactivityTimer | undefined;
  /** Aborting it ends the iteration with an error. */
  readonly signal?: AbortSignal;
}

/** How many event-loop ticks a batch that is not full waits for objects that are just arriving. */
const mostTurns = 2;

/** How many unread objects the client may buffer. */
export const readAhead = { highWaterMark: 256 };

/**
 * How many attempts a read gets when another node turns out to lead, and the pause between them.
 */
const maxAttempts = 5;
const attemptPauseMs = 100;

/**
 * Reads a stream from the leader in batches of objects that arrived together, up to `size`. The
 * call ends with the iteration, however that ends. A node that does not lead names the leader, and
 * the read is then opened there, unless it has already yielded a batch.
 */
export async function* gathered<T extends Pick<ResolvedEvent, 'event'>>(
  connection: Connection,
  open: (client: EventStoreDBClient) => ClientStream<T>,
  options: GatherOptions,
): AsyncGenerator<readonly T[]> {
  let hasBegun = false;
  for (let attempt = 1; ; attempt += 1) {
    const node = await connection.node();
    try {
      for await (const batch of gatheredFrom(node, () => open(node.client), options)) {
        hasBegun = true;
        noteProgress(connection, node, batch);
        yield batch;
      }
      return;
    } catch (error) {
      connection.failed(node, error);
      if (
        hasBegun ||
        !isNotLeader(error) ||
        attempt === maxAttempts ||
        options.signal?.aborted === true
      )
        throw error;
      await sleep(attemptPauseMs);
    }
  }
}

/** As `gathered`, but from this node, whether or not it leads. */
export async function* gatheredFrom<T>(
  { left }: Node,
  open: () => ClientStream<T>,
  { size, patience, signal }: GatherOptions,
): AsyncGenerator<readonly T[]> {
  left.throwIfAborted();
  const stream = open();
  // ignore errors that come after the reader has stopped
  stream.on('error', () => undefined);
  const abort = (): void =>
    void stream.destroy(new DOMException('not wanted any more', 'AbortError'));
  const leave = (): void => void stream.destroy(left.reason as EventLogError);
  const giveUp = (silentMs: number): void =>
    void stream.destroy(
      new EventLogError({ kind: 'unavailable' }, `the server was silent for ${silentMs} ms`),
    );
  signal?.addEventListener('abort', abort);
  left.addEventListener('abort', leave);
  if (signal?.aborted === true) abort();
  patience?.start(giveUp);
  try {
    for await (const first of stream) {
      patience?.stop();
      yield await arrivedTogether(first, stream, size);
      patience?.start(giveUp);
    }
  } finally {
    patience?.stop();
    signal?.removeEventListener('abort', abort);
    left.removeEventListener('abort', leave);
    endCall(stream);
  }
}

/** The first object and those that arrive together with it, up to `size` in total. */
const arrivedTogether = async <T>(
  first: T,
  stream: ClientStream<T>,
  size: number,
): Promise<readonly T[]> => {
  const batch = [first];
  for (let turns = 0; batch.length < size;) {
    const next = stream.read() as T | null;
    if (next !== null) batch.push(next);
    else if (turns++ === mostTurns) break;
    else await yieldToEventLoop();
  }
  return batch;
};

/** Ends the call without waiting for it: the stream ends with its call once there is one. */
const endCall = (stream: ClientStream<unknown>): void =>
  void ('cancel' in stream ? stream.cancel() : stream.unsubscribe()).catch(() => undefined);

/** Records the newest event of a batch: the last one, or the first one when reading backwards. */
const noteProgress = (
  connection: Connection,
  node: Node,
  batch: readonly Pick<ResolvedEvent, 'event'>[],
): void => {
  for (const found of [batch.find(isOurs), batch.findLast(isOurs)]) {
    const commit = found?.event?.position?.commit;
    if (commit !== undefined) connection.saw(node, commit);
  }
};
