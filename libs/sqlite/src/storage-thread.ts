import { Worker } from 'node:worker_threads';

/** How to start a storage thread. */
export interface StorageThreadOptions {
  /** The built worker file. */
  readonly script: URL;
  readonly workerData: unknown;
}

/**
 * The thread that holds the one connection that writes a file, as its owner sees it. Keeps no
 * process alive.
 */
export interface StorageThread<Report> {
  readonly worker: Worker;
  /** The thread's first message: that the file is open, or why it isn't. */
  readonly report: Report;
  /** Resolves when the thread has ended although `close` was not called. */
  readonly crashed: Promise<Error>;
  /** Sends the order to end, and resolves once the thread has ended. */
  close(order: unknown): Promise<void>;
}

/**
 * Starts the thread, and resolves with its first message; rejects when it ends before that. Never
 * ends it with `terminate()`, which can abort the process in the middle of a statement.
 */
export const startStorageThread = async <Report>({
  script,
  workerData,
}: StorageThreadOptions): Promise<StorageThread<Report>> => {
  // the process's own Node flags must not apply to the thread
  const worker = new Worker(script, { workerData, execArgv: [] });
  const ended = new Promise<Error>((resolve) => {
    worker.once('error', resolve);
    worker.once('exit', (code) =>
      resolve(new Error(`the thread ${script.pathname} ended with code ${code}`)),
    );
  });
  const report = await new Promise<Report>((resolve, reject) => {
    worker.once('message', resolve);
    void ended.then(reject);
  });

  let closing = false;
  worker.unref();
  return {
    worker,
    report,
    crashed: new Promise((resolve) => void ended.then((error) => closing || resolve(error))),
    close: async (order) => {
      closing = true;
      worker.ref();
      worker.postMessage(order);
      await ended;
    },
  };
};
