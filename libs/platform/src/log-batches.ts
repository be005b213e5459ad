import type { DestinationStream } from 'pino';

/** How long a line may wait for others, in milliseconds. */
const batchMs = 10;
/** The number of characters above which a batch is written at once. */
const fullBatch = 65_536;

/** Writes batches. `flushSync` returns once everything passed to `write` is written. */
export interface BatchSink {
  write(text: string): unknown;
  flushSync(): void;
}

/**
 * A destination that writes the lines of a short time together, since a write costs more than a
 * line. When the thread exits, it writes the lines that wait. A killed process loses its last
 * lines, so nothing important is kept only in the log.
 */
export const logBatches = (sink: BatchSink): DestinationStream & { flushSync(): void } => {
  let batch = '';
  let timer: NodeJS.Timeout | undefined;
  const handOver = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (batch === '') return;
    const text = batch;
    batch = '';
    sink.write(text);
  };
  const flushSync = (): void => {
    handOver();
    sink.flushSync();
  };
  process.on('exit', flushSync);
  return {
    write: (line) => {
      batch += line;
      if (batch.length > fullBatch) handOver();
      else timer ??= setTimeout(handOver, batchMs).unref();
    },
    flushSync,
  };
};
