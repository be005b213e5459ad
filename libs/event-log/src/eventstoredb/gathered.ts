import type { Readable } from 'node:stream';
import { setImmediate as turnOfTheLoop, setTimeout as pause } from 'node:timers/promises';
import { EventLogError } from '../event-log-error.js';
import { isNotLeader } from './client-errors.js';
import type { Patience } from './patience.js';

/** A stream of objects that the client opened. It holds a call, which ends with `cancel` or `unsubscribe` only. */
export type ClientStream<T> = Readable & AsyncIterable<T> & ({ cancel(): Promise<void> } | { unsubscribe(): Promise<void> });

export interface GatherOptions {
  readonly size: number;
  /** How long a silence may last; none where silence is normal. */
  readonly patience: Patience | undefined;
  /** Ends the iteration with an error when it aborts. */
  readonly signal: AbortSignal;
}

/** How often a batch that is not full waits for what is arriving at this moment. */
const mostTurns = 2;

/** How many objects the client may hold that nobody has asked for yet. */
export const readAhead = { highWaterMark: 256 };

/** How often, and after which pause, a read goes after a leader that is another node. */
const leaderTries = 5;
const leaderPauseMs = 100;

/**
 * What a stream brings, in batches: what has come together, up to `size`. However this ends, the call ends with it. A node that does not lead
 * names the one that does, and the client connects to that: unless something has come already, the same is then asked there.
 */
export async function* gathered<T>(open: () => ClientStream<T>, options: GatherOptions): AsyncGenerator<readonly T[]> {
  let hasBegun = false;
  for (let tries = 1; ; tries += 1) {
    try {
      for await (const batch of gatheredOnce(open(), options)) {
        hasBegun = true;
        yield batch;
      }
      return;
    } catch (error) {
      if (hasBegun || !isNotLeader(error) || tries === leaderTries || options.signal.aborted) throw error;
      await pause(leaderPauseMs);
    }
  }
}

async function* gatheredOnce<T>(stream: ClientStream<T>, { size, patience, signal }: GatherOptions): AsyncGenerator<readonly T[]> {
  // an error that comes when nobody reads any more is nobody's
  stream.on('error', () => undefined);
  const abort = (): void => void stream.destroy(new DOMException('not wanted any more', 'AbortError'));
  const giveUp = (silentMs: number): void => void stream.destroy(new EventLogError({ kind: 'unavailable' }, `the server was silent for ${silentMs} ms`));
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  patience?.start(giveUp);
  try {
    for await (const first of stream) {
      patience?.stop();
      const batch = [first];
      for (let turns = 0; batch.length < size; ) {
        const next = stream.read() as T | null;
        if (next !== null) batch.push(next);
        else if (turns++ === mostTurns) break;
        else await turnOfTheLoop();
      }
      yield batch;
      patience?.start(giveUp);
    }
  } finally {
    patience?.stop();
    signal.removeEventListener('abort', abort);
    // not waited for: it ends with its call, once there is one
    ('cancel' in stream ? stream.cancel() : stream.unsubscribe()).catch(() => undefined);
  }
}
