import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { startThread, type Calls } from '@refledger/sqlite';
import { unavailable } from '../event-log-error.js';
import type { WriterMethods, WriterStart } from './append.protocol.js';
import { errorOf } from './failure.js';

/** The writing thread, as its owner sees it. It does not keep the process alive. */
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
  const thread = startThread<WriterMethods>({
    // the built file, even when this runs from TypeScript source (in tests)
    script: new URL('../../dist/sqlite/writer.worker.js', import.meta.url),
    workerData: start,
    errorOf,
    unavailable: (cause) => unavailable(`${start.file}: the writer has ended`, { cause }),
  });
  try {
    await thread.call('open');
  } catch (error) {
    await thread.close();
    throw error;
  }
  void thread.crashed.then(onCrash);
  return { port: () => portTo(thread), close: () => thread.close() };
};

/** Creates a port to the writer, through its thread or another port to it. */
export const portTo = ({ call }: Pick<Calls<WriterMethods>, 'call'>): MessagePort => {
  const { port1, port2 } = new MessageChannel();
  call('connect', port1).catch(() => port1.close());
  return port2;
};
