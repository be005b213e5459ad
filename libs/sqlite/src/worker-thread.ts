import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { Worker, type Transferable } from 'node:worker_threads';
import { Calls, closing, type Methods } from './thread-calls.js';

/** How to start a thread that answers calls. */
export interface ThreadOptions {
  /** The built worker file. A bundle uses its own file of that name, which is beside it. */
  readonly script: URL;
  readonly workerData: unknown;
  readonly transferList?: readonly Transferable[];
  /** The maximum size of the young generation, in megabytes. Default: V8's. */
  readonly maxYoungGenerationSizeMb?: number;
  /** Makes the error to throw from a failure that the thread posted. */
  readonly errorOf: (failure: never) => unknown;
  /** The error for calls after `close`, or, with a cause, for calls to a thread that has ended. */
  readonly unavailable: (cause?: Error) => Error;
}

/** A thread, as its owner sees it. Keeps no process alive, except while a call waits. */
export interface Thread<M extends Methods<M>> {
  readonly call: Calls<M>['call'];
  readonly callSoon: Calls<M>['callSoon'];
  /** Resolves when the thread has ended although `close` was not called. */
  readonly crashed: Promise<Error>;
  /** Closes the thread after the calls made so far, and resolves once it has ended. */
  close(): Promise<void>;
}

/**
 * Starts a thread that answers with a `CallServer`. Never ends it with `terminate()`, which can
 * abort the process in the middle of a statement.
 */
export const startThread = <M extends Methods<M>>({
  script,
  workerData,
  transferList = [],
  maxYoungGenerationSizeMb,
  errorOf,
  unavailable,
}: ThreadOptions): Thread<M> => {
  const worker = new Worker(bundled(script) ?? script, {
    workerData,
    transferList: [...transferList],
    // the process's own Node flags must not apply to the thread
    execArgv: [],
    resourceLimits: { ...(maxYoungGenerationSizeMb !== undefined && { maxYoungGenerationSizeMb }) },
  });
  const calls = new Calls<M>(worker, errorOf);
  const ended = new Promise<Error>((resolve) => {
    worker.once('error', resolve);
    worker.once('exit', (code) =>
      resolve(new Error(`the thread ${script.pathname} ended with code ${code}`)),
    );
  });
  void ended.then((error) => calls.end(unavailable(error)));

  let isClosing = false;
  return {
    call: calls.call,
    callSoon: calls.callSoon,
    crashed: new Promise((resolve) => void ended.then((error) => isClosing || resolve(error))),
    close: async () => {
      if (!isClosing) {
        isClosing = true;
        calls.refuse(unavailable());
        worker.ref();
        calls.post();
        worker.postMessage(closing);
      }
      await ended;
    },
  };
};

/** The file of that name beside this code, which exists if this code is part of a bundle. */
const bundled = ({ pathname }: URL): URL | undefined => {
  const beside = new URL(posix.basename(pathname), import.meta.url);
  return existsSync(beside) ? beside : undefined;
};
