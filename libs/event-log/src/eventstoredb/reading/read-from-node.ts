import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AllStreamResolvedEvent, ReadAllOptions } from '@eventstore/db-client';
import { type EventLogError, unavailable } from '../../event-log-error.js';
import { isStreamNotFound } from '../client-errors.js';
import type { Node } from '../node.js';

/**
 * A stream of objects that the client opened. Its call ends only with `cancel` or `unsubscribe`.
 */
export type ClientStream<T> = AsyncIterable<T> & {
  read(): T | null;
  on(event: 'error', listener: (error: Error) => void): unknown;
  destroy(error: Error): unknown;
} & ({ cancel(): Promise<void> } | { unsubscribe(): Promise<void> });

/** Limits the silence between repeated signs of life to `ms`. */
export class InactivityTimer {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly ms: number) {}

  /** Starts the timer; `giveUp` is called after a silence of `ms`. */
  start(giveUp: (silentMs: number) => void): void {
    this.timer = setTimeout(() => giveUp(this.ms), this.ms);
  }

  /** Restarts the timer after a sign of life. */
  heard(): void {
    this.timer?.refresh();
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}

/** How to gather a stream's objects into batches. */
export interface BatchOptions {
  readonly size: number;
  /** Limits how long the server may be silent; undefined where silence is normal. */
  readonly inactivity: InactivityTimer | undefined;
  /** Aborting it ends the iteration with an error. */
  readonly signal?: AbortSignal | undefined;
}

/** How many event-loop ticks a batch that is not full waits for objects that are just arriving. */
const maxTicks = 2;

/** How many unread objects the client may buffer. */
export const readAhead = { highWaterMark: 256 };

/**
 * Reads a stream from this node, whether or not it leads, in batches of objects that arrived
 * together, up to `size`. The call ends with the iteration, however that ends.
 */
export async function* readBatchesFrom<T>(
  { left }: Node,
  open: () => ClientStream<T>,
  { size, inactivity, signal }: BatchOptions,
): AsyncGenerator<readonly T[]> {
  left.throwIfAborted();
  const stream = open();
  // ignore errors that come after the reader has stopped
  stream.on('error', () => undefined);
  const unlisten = destroyOnAbort(stream, left, signal);
  const giveUp = (silentMs: number): void =>
    void stream.destroy(unavailable(`the server was silent for ${silentMs} ms`));
  inactivity?.start(giveUp);
  let isMissing = false;
  try {
    for await (const first of stream) {
      inactivity?.stop();
      yield await arrivedTogether(first, stream, size);
      inactivity?.start(giveUp);
    }
  } catch (error) {
    // the server ends this call, and disconnects a client that resets many
    isMissing = isStreamNotFound(error);
    throw error;
  } finally {
    inactivity?.stop();
    unlisten();
    if (!isMissing) endCall(stream);
  }
}

/**
 * Destroys a stream once its node is left or the reader aborts. Returns the function that stops
 * listening.
 */
const destroyOnAbort = (
  stream: ClientStream<unknown>,
  left: AbortSignal,
  signal: AbortSignal | undefined,
): (() => void) => {
  const abort = (): void =>
    void stream.destroy(new DOMException('the read was aborted', 'AbortError'));
  const leave = (): void => void stream.destroy(left.reason as EventLogError);
  signal?.addEventListener('abort', abort);
  left.addEventListener('abort', leave);
  if (signal?.aborted === true) abort();
  return () => {
    signal?.removeEventListener('abort', abort);
    left.removeEventListener('abort', leave);
  };
};

/**
 * Reads `$all` from this node, which refuses unless it leads. `timeoutMs` limits how long the node
 * may be silent.
 */
export const readAllFrom = (
  node: Node,
  options: ReadAllOptions,
  { size, timeoutMs, signal }: AllReadOptions,
): AsyncGenerator<readonly AllStreamResolvedEvent[]> => {
  const open = (): ClientStream<AllStreamResolvedEvent> =>
    node.client.readAll({ ...options, requiresLeader: true }, readAhead);
  const inactivity = timeoutMs === undefined ? undefined : new InactivityTimer(timeoutMs);
  return readBatchesFrom(node, open, { size, inactivity, signal });
};

export interface AllReadOptions extends Pick<BatchOptions, 'size' | 'signal'> {
  readonly timeoutMs?: number;
}

/** The first object and those that arrive together with it, up to `size` in total. */
const arrivedTogether = async <T>(
  first: T,
  stream: ClientStream<T>,
  size: number,
): Promise<readonly T[]> => {
  const batch = [first];
  for (let ticks = 0; batch.length < size;) {
    const next = stream.read();
    if (next !== null) batch.push(next);
    else if (ticks++ === maxTicks) break;
    else await yieldToEventLoop();
  }
  return batch;
};

/**
 * Ends the call without waiting for its end. A call that has not started yet ends once it starts.
 */
const endCall = (stream: ClientStream<unknown>): void =>
  void ('cancel' in stream ? stream.cancel() : stream.unsubscribe()).catch(() => undefined);
