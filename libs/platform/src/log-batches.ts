import type { DestinationStream } from 'pino';

/** How long a line may wait for others. */
const batchMs = 10;
/** Characters that are written without waiting any longer. */
const fullBatch = 65_536;

/** What writes batches; `flushSync` returns once all is written that it got. */
export interface BatchSink {
  write(text: string): unknown;
  flushSync(): void;
}

/**
 * A destination that writes the lines of a moment at once, since each write costs more than a line. The end of the thread writes what
 * waits; a killed process loses the lines of its last moment, which is why nothing that counts is kept in the log alone.
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
