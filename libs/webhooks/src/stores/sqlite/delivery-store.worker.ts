import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { GroupWriter } from './group-writer.js';
import {
  failureOf,
  type StoreAnswer,
  type StoreCall,
  type StoreOrder,
  type StoreReport,
} from './store-calls.js';

/**
 * Runs the store's thread. All calls that arrive within one turn of the event loop form one group.
 * To stay small, the thread loads no schemas and no framework.
 */
const run = (owner: MessagePort, file: string): void => {
  const writer = new GroupWriter(file);
  let waiting: StoreCall[] = [];

  const perform = (): void => {
    const calls = waiting;
    waiting = [];
    if (calls.length > 0) owner.postMessage(writer.perform(calls) satisfies readonly StoreAnswer[]);
  };

  owner.on('message', (order: StoreOrder) => {
    if (order.kind === 'close') {
      perform();
      owner.close();
      return writer.close();
    }
    if (waiting.length === 0) setImmediate(perform);
    waiting.push(order.call);
  });
  owner.postMessage({ kind: 'opened', id: writer.id() } satisfies StoreReport);
};

const start = (owner: MessagePort, file: string): void => {
  try {
    run(owner, file);
  } catch (error) {
    owner.postMessage({ kind: 'refused', failure: failureOf(error, file) } satisfies StoreReport);
    owner.close();
  }
};

if (parentPort !== null) start(parentPort, workerData as string);
