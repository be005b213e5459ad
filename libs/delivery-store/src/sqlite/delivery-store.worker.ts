import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { CallServer } from '@refledger/sqlite';
import type { DeliveryFile } from './delivery-file.js';
import { GroupWriter, type StoreCall } from './group-writer.js';
import { failureOf } from './store-failure.js';

interface PendingCall {
  readonly call: StoreCall;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs the store's thread. All calls that arrive within one tick of the event loop form one group.
 * To stay small, the thread loads no schemas and no framework.
 */
const run = (owner: MessagePort, file: string): void => {
  const writer = new GroupWriter(file);
  let waiting: PendingCall[] = [];

  const performAll = (): void => {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    for (const [index, result] of writer.perform(group.map(({ call }) => call)).entries()) {
      if ('value' in result) group[index]?.resolve(result.value);
      else group[index]?.reject(result.error);
    }
  };

  new CallServer<DeliveryFile>(owner, {
    perform: (call) =>
      new Promise((resolve, reject) => {
        if (waiting.push({ call, resolve, reject }) === 1) setImmediate(performAll);
      }),
    failureOf: (error) => failureOf(error, file),
    onClose: () => {
      performAll();
      writer.close();
    },
  });
};

if (parentPort !== null) run(parentPort, workerData as string);
