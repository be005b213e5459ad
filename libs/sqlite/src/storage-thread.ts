import { Worker } from 'node:worker_threads';

export interface StorageThreadOptions {
  /** The built worker file. */
  readonly script: URL;
  readonly workerData: unknown;
}

/** A thread that holds the one connection that writes a file, as its owner sees it. Keeps no process alive. */
export interface StorageThread<Report> {
  readonly worker: Worker;
  /** What it said first: that the file is open, or why it isn't. */
  readonly report: Report;
  /** Resolves when it has ended, and `close` didn't ask for it. */
  readonly crashed: Promise<Error>;
  /** Sends the order to end, and resolves once the thread is gone. */
  close(order: unknown): Promise<void>;
}

/** Resolves with the thread's first message; rejects when it ends before. Never ended by `terminate()`, which can abort the process in the midst of a statement. */
export const startStorageThread = async <Report>({
  script,
  workerData,
}: StorageThreadOptions): Promise<StorageThread<Report>> => {
  // Node's own flags of the process are not for it
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
