import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { PortMessage, WriterOrder, WriterReport, WriterStart } from './append.protocol.js';
import { errorOf } from './failure.js';

/** The thread that writes, as its owner sees it. It keeps no process alive. */
export interface WriterThread {
  /** A port for one handle on the log. */
  port(): MessagePort;
  /** Ends the thread once what was sent to it is committed. */
  close(): Promise<void>;
}

/** Resolves once the log is open for writing; throws an `EventLogError` when it can't be. `onCrash` hears of an end that `close` didn't ask for. */
export const startWriter = async (start: WriterStart, onCrash: (error: Error) => void): Promise<WriterThread> => {
  // The built file, also when this runs as TypeScript source (tests); Node's own flags of the process are not for it.
  const worker = new Worker(new URL('../../dist/sqlite/writer.worker.js', import.meta.url), { workerData: start, execArgv: [] });
  const ended = new Promise<Error | undefined>((resolve) => {
    worker.once('error', resolve);
    worker.once('exit', () => resolve(undefined));
  });
  const report = await Promise.race([new Promise<WriterReport>((resolve) => worker.once('message', resolve)), ended]);
  if (report === undefined || report instanceof Error) throw errorOf({ fault: { kind: 'unavailable' }, message: `${start.file}: the writer did not start` }, { cause: report });
  if (report.kind === 'refused') throw errorOf(report.failure);

  let closing = false;
  void ended.then((error) => closing || onCrash(error ?? new Error(`the writer of ${start.file} ended`)));
  worker.unref();
  return {
    port: () => portTo(worker),
    close: async () => {
      closing = true;
      worker.ref();
      worker.postMessage({ kind: 'close' } satisfies WriterOrder);
      await ended;
    },
  };
};

/** A new port to the writer behind a worker or another port of it. */
export const portTo = (writer: Pick<Worker | MessagePort, 'postMessage'>): MessagePort => {
  const { port1, port2 } = new MessageChannel();
  writer.postMessage({ kind: 'port', port: port1 } satisfies PortMessage, [port1]);
  return port2;
};
