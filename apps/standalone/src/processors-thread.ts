import { once } from 'node:events';
import { Worker, type MessagePort } from 'node:worker_threads';
import type { Health } from '@refledger/platform';
import type { ProcessorsData, FromProcessors, ToProcessors } from './thread-messages.js';

/**
 * The thread that runs projector and webhook-dispatcher, so that neither takes time from requests.
 */
export interface ProcessorsThread {
  /** The thread's metrics, as prom-client's JSON. */
  metrics(): Promise<object[]>;
  /** Finishes the work in progress and ends the thread. */
  close(): Promise<void>;
}

/**
 * Smaller than V8's default of 48 MB, which the thread would keep once it has grown. The cost is a
 * few more minor collections while read models are built.
 */
const maxYoungGenerationSizeMb = 12;

/**
 * Starts the thread and resolves once its processors run. Calls `onDeath` when the thread ends by
 * itself: the service cannot continue without it.
 */
export const startProcessorsThread = async (options: {
  writer: MessagePort;
  health: Health;
  onDeath: (error: Error) => void;
}): Promise<ProcessorsThread> => {
  const data: ProcessorsData = { writer: options.writer };
  const worker = new Worker(new URL('./processors.worker.js', import.meta.url), {
    workerData: data,
    transferList: [options.writer],
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  const waiting = new Map<number, (metrics: object[]) => void>();
  let running = false;
  let closing = false;
  let requests = 0;
  const post = (message: ToProcessors): void => worker.postMessage(message);
  await new Promise<void>((resolve, reject) => {
    const died = (error: Error): void => {
      reject(error);
      if (running && !closing) options.onDeath(error);
    };
    worker.on('message', (message: FromProcessors) => {
      switch (message.type) {
        case 'started':
          running = true;
          return resolve();
        case 'health':
          return options.health.report(message.health);
        case 'metrics':
          return waiting.get(message.request)?.(message.metrics);
      }
    });
    worker.once('error', died);
    worker.once('exit', () => waiting.forEach((answer) => answer([])));
    worker.once('exit', (code) =>
      died(new Error(`the thread of the processors ended with code ${code}`)),
    );
  });
  return {
    metrics: () =>
      new Promise((resolve) => {
        const request = ++requests;
        waiting.set(request, (metrics) => {
          waiting.delete(request);
          resolve(metrics);
        });
        post({ type: 'metrics', request });
      }),
    close: async () => {
      closing = true;
      const ended = once(worker, 'exit');
      post({ type: 'stop' });
      await ended;
    },
  };
};
