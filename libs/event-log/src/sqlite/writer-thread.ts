import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { startStorageThread } from '@refledger/sqlite';
import type { PortMessage, WriterOrder, WriterReport, WriterStart } from './append.protocol.js';
import { errorOf } from './failure.js';

/** The writing thread, as its owner sees it. It keeps no process alive. */
export interface WriterThread {
  /** A port for one handle on the log. */
  port(): MessagePort;
  /** Ends the thread once all appends sent to it are committed. */
  close(): Promise<void>;
}

/**
 * Resolves once the log is open for writing; throws an `EventLogError` when it can't be opened.
 * `onCrash` is called when the thread ends without `close`.
 */
export const startWriter = async (
  start: WriterStart,
  onCrash: (error: Error) => void,
): Promise<WriterThread> => {
  // the built file, also when this runs from TypeScript source (in tests)
  const script = new URL('../../dist/sqlite/writer.worker.js', import.meta.url);
  const thread = await startStorageThread<WriterReport>({ script, workerData: start }).catch(
    (cause: unknown) => {
      throw errorOf(
        { fault: { kind: 'unavailable' }, message: `${start.file}: the writer did not start` },
        { cause },
      );
    },
  );
  if (thread.report.kind === 'refused') throw errorOf(thread.report.failure);
  void thread.crashed.then(onCrash);
  return {
    port: () => portTo(thread.worker),
    close: () => thread.close({ kind: 'close' } satisfies WriterOrder),
  };
};

/** Creates a port to the writer, through its worker or another port to it. */
export const portTo = (writer: Pick<Worker | MessagePort, 'postMessage'>): MessagePort => {
  const { port1, port2 } = new MessageChannel();
  writer.postMessage({ kind: 'port', port: port1 } satisfies PortMessage, [port1]);
  return port2;
};
