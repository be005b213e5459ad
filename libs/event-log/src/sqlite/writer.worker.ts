import { performance } from 'node:perf_hooks';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { CallServer, callsTo, ChangeNotifier } from '@refledger/sqlite';
import type { EncodedAppend } from '../encode-append.js';
import type { CommitResult, WriterMethods, WriterStart } from './append.protocol.js';
import { failureOf } from './failure.js';
import { StreamChanges } from './stream-changes.js';
import { Writer } from './writer.js';

interface Group {
  readonly appends: readonly EncodedAppend[];
  readonly resolve: (committed: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs the writer's thread: it takes groups from all ports, commits those that arrived together in
 * one transaction, and replies.
 */
const run = (owner: MessagePort, { file, opening, changes }: WriterStart): void => {
  const notifier = new ChangeNotifier(file);
  const handles = new Set<CallServer<WriterMethods>>();
  let writer: Writer | undefined;
  let waiting: Group[] = [];

  const commit = (): void => {
    const groups = waiting;
    waiting = [];
    if (groups.length === 0 || writer === undefined) return;
    const started = performance.now();
    try {
      const responses = writer.commit(groups.flatMap(({ appends }) => appends));
      const commitMs = performance.now() - started;
      let from = 0;
      for (const { appends, resolve } of groups)
        resolve({ responses: responses.slice(from, (from += appends.length)), commitMs });
      notifier.notify();
    } catch (error) {
      for (const { reject } of groups) reject(error);
    }
  };

  const options = {
    perform: callsTo<WriterMethods>({
      open: () => void (writer = new Writer(file, opening, new StreamChanges(changes))),
      connect: (port) => {
        const handle = new CallServer<WriterMethods>(port, options);
        handles.add(handle);
        port.on('close', () => handles.delete(handle));
      },
      append: (appends) =>
        new Promise((resolve, reject) => {
          if (waiting.push({ appends, resolve, reject }) === 1) setImmediate(commit);
        }),
      probe: () => writer?.probe(),
    }),
    failureOf: (error: unknown) => {
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      return failure;
    },
  };

  new CallServer<WriterMethods>(owner, {
    ...options,
    /** Groups sent before the order to close count as accepted. */
    onClose: async () => {
      for (const handle of handles) handle.drain();
      commit();
      await Promise.all([...handles].map((handle) => handle.close()));
      notifier.close();
      writer?.close();
    },
  });
};

if (parentPort !== null) run(parentPort, workerData as WriterStart);
