import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { CallGroups, CallServer } from '@refledger/sqlite';
import type { DeliveryFile } from './delivery-file.js';
import { deliveryWriter } from './delivery-writer.js';
import { failureOf } from './store-failure.js';

/** Runs the store's thread. To stay small, the thread loads no schemas and no framework. */
const run = (owner: MessagePort, file: string): void => {
  const writer = deliveryWriter(file);
  const groups = new CallGroups(writer);

  new CallServer<DeliveryFile>(owner, {
    perform: (call) => groups.perform(call),
    failureOf: (error) => failureOf(error, file),
    onClose: () => {
      groups.performAll();
      writer.close();
    },
  });
};

if (parentPort !== null) run(parentPort, workerData as string);
