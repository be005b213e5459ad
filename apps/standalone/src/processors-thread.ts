import { once } from 'node:events';
import { Worker, type MessagePort } from 'node:worker_threads';
import type { Health } from '@refledger/platform';
import type { ProcessorsData, FromProcessors, ToProcessors } from './thread-messages.js';

/** The thread that runs projector and webhook-dispatcher, so that neither takes time from requests. */
export interface ProcessorsThread {
  /** The metrics of that thread, as prom-client's JSON. */
  metrics(): Promise<object[]>;
  /** Finishes what is under way and ends the thread. */
  close(): Promise<void>;
}

/** A smaller one than V8's own 48 MB, which would be kept for ever; it costs some more of the small collections while read models are built. */
const maxYoungGenerationSizeMb = 12;

/** Starts the thread and waits until its processors run. `onDeath` is told when it ends by itself, which nothing survives. */
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
