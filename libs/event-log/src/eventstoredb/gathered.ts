import type { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import type { EventStoreDBClient, ResolvedEvent } from '@eventstore/db-client';
import { EventLogError } from '../event-log-error.js';
import { isNotLeader } from './client-errors.js';
import type { Connection } from './connection.js';
import type { Node } from './node.js';
import type { InactivityTimer } from './inactivity-timer.js';
import { isOurs } from './recorded-event.js';

/** A stream of objects that the client opened. It holds a call, which ends with `cancel` or `unsubscribe` only. */
export type ClientStream<T> = Readable &
  AsyncIterable<T> &
  ({ cancel(): Promise<void> } | { unsubscribe(): Promise<void> });

export interface GatherOptions {
  readonly size: number;
  /** How long a silence may last; none where silence is normal. */
  readonly patience: InactivityTimer | undefined;
  /** Ends the iteration with an error when it aborts. */
  readonly signal?: AbortSignal;
}

/** How often a batch that is not full waits for what is arriving at this moment. */
const mostTurns = 2;

/** How many objects the client may hold that nobody has asked for yet. */
export const readAhead = { highWaterMark: 256 };

/** How often, and after which pause, a read goes after a leader that is another node. */
const maxAttempts = 5;
const attemptPauseMs = 100;

/**
 * What a stream of the leader brings, in batches: what has come together, up to `size`. However this
 * ends, the call ends with it. A node that does not lead names the one that does: unless something
 * has come already, the same is then asked there.
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

/** As `gathered`, of this node, whatever it is. */
export async function* gatheredFrom<T>(
  { left }: Node,
  open: () => ClientStream<T>,
  { size, patience, signal }: GatherOptions,
): AsyncGenerator<readonly T[]> {
  left.throwIfAborted();
  const stream = open();
  // an error that comes when nobody reads any more is nobody's
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

/** The first object, and what comes together with it, up to `size` in all. */
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

/** Not waited for: the stream ends with its call, once there is one. */
const endCall = (stream: ClientStream<unknown>): void =>
  void ('cancel' in stream ? stream.cancel() : stream.unsubscribe()).catch(() => undefined);

/** The newest event of a batch is the last, or, read backwards, the first. */
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
