import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** How items are processed. */
export interface InOrderOptions<T, R> {
  /** Begins an item. Must not reject. */
  readonly start: (item: T) => Promise<R>;
  /** Writes a result. The next one is written once it resolves. */
  readonly write: (result: R) => Promise<void>;
  /** How many items may have begun without their results being written. */
  readonly maxInFlight: number;
  /** Once it aborts, no further item begins. */
  readonly signal: AbortSignal;
}

/**
 * Processes items concurrently, and writes the results in the order of the items, each as soon as
 * it can be. Each item begins in its own iteration of the event loop, so everything that has
 * arrived by then comes first. If reading the items fails, so does this, once the items that had
 * begun are finished.
 */
export const inOrder = async <T, R>(
  items: AsyncIterable<T>,
  { start, write, maxInFlight, signal }: InOrderOptions<T, R>,
): Promise<void> => {
  const inFlight: Promise<void>[] = [];
  let last = Promise.resolve();
  try {
    for await (const item of items) {
      await yieldToEventLoop();
      if (signal.aborted) break;
      last = writeAfter(last, start(item), write);
      inFlight.push(last);
      if (inFlight.length === maxInFlight) await inFlight.shift();
    }
  } finally {
    await Promise.allSettled(inFlight);
  }
  await last;
};

const writeAfter = <R>(
  before: Promise<void>,
  running: Promise<R>,
  write: (result: R) => Promise<void>,
): Promise<void> => {
  const writing = running.then((result) => before.then(() => write(result)));
  // it is awaited later, perhaps after it has failed
  writing.catch(() => undefined);
  return writing;
};
