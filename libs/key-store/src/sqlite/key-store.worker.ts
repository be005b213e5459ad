import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { CallGroups, CallServer, type CallOf } from '@refledger/sqlite';
import type { KeyFile } from './key-file.js';
import { keyWriter } from './key-writer.js';
import { LogScrubber } from './log-scrubber.js';
import { failureOf } from './store-failure.js';

/** What the owner of the thread passes to it. */
export interface KeyStoreThreadData {
  readonly file: string;
  readonly create: boolean;
}

/** Runs the store's thread. To stay small, the thread loads no schemas and no framework. */
const run = (owner: MessagePort, { file, create }: KeyStoreThreadData): void => {
  const writer = keyWriter(file, create);
  const groups = new CallGroups(writer);
  const scrubber = new LogScrubber(() => writer.truncateLog());

  const perform = async (call: CallOf<KeyFile>): Promise<unknown> => {
    const value = await groups.perform(call);
    if (call.method === 'destroy' || call.method === 'rewrap') await scrubber.scrub();
    // a crash may have left keys in the log
    if (call.method === 'id') scrubber.start();
    return value;
  };
  const running = new Set<Promise<unknown>>();

  new CallServer<KeyFile>(owner, {
    perform: (call) => {
      const result = perform(call).finally(() => running.delete(result));
      running.add(result);
      return result;
    },
    failureOf: (error) => failureOf(error, file),
    onClose: async () => {
      groups.performAll();
      await Promise.allSettled(running);
      scrubber.stop();
      writer.close();
    },
  });
};

if (parentPort !== null) run(parentPort, workerData as KeyStoreThreadData);
