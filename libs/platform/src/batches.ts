/**
 * A source of batches in order: an event processor, or a consumer of the event bus. It runs until
 * the signal aborts.
 */
export interface BatchSource<Batch> {
  /** A batch is done when `deliver` resolves. The source handles a rejection of `deliver`. */
  run(deliver: (batch: Batch) => Promise<void>, signal: AbortSignal): Promise<void>;
}

/**
 * Starts a source of batches, each of which `handle` takes as a whole. Closing it stops the source
 * and resolves once its last batch is done.
 */
export type StartBatches = <Batch>(
  source: BatchSource<Batch>,
  handle: (batch: Batch) => Promise<void>,
) => Promise<{ close(): Promise<void> }>;

/**
 * Starts a source without Nest, for a process that needs Nest's transports for nothing else:
 * loading them takes a second.
 */
export const startBatches: StartBatches = (source, handle) => {
  const stop = new AbortController();
  const running = source.run(handle, stop.signal);
  return Promise.resolve({
    close: async () => {
      stop.abort();
      await running;
    },
  });
};
