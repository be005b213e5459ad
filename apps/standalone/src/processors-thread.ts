import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Health } from '@refledger/platform';
import { CallServer, callsTo, startThread } from '@refledger/sqlite';
import type { HealthMethods, ProcessorsData, ProcessorsMethods } from './thread-methods.js';

/**
 * Smaller than V8's default of 48 MB, because the thread keeps this memory once it has used it. The
 * cost is a few more minor collections while read models are built.
 */
const maxYoungGenerationSizeMb = 12;

/**
 * Starts the thread that runs projector, ledger and webhook-dispatcher, so that none of them takes
 * time from requests. Resolves once its processors run. Calls `onDeath` when the thread ends by
 * itself: the service cannot continue without it.
 */
export const startProcessorsThread = async (options: {
  writer: MessagePort | undefined;
  health: Health;
  sendsNothing: string | undefined;
  onDeath: (error: Error) => void;
}) => {
  const { port1, port2 } = new MessageChannel();
  new CallServer<HealthMethods>(port1, {
    perform: callsTo<HealthMethods>({ report: (part) => options.health.report(part) }),
    failureOf: String,
  });
  const { writer, sendsNothing } = options;
  const data: ProcessorsData = { writer, health: port2, sendsNothing };
  const thread = startThread<ProcessorsMethods>({
    script: new URL('./processors.worker.js', import.meta.url),
    workerData: data,
    transferList: writer === undefined ? [port2] : [writer, port2],
    maxYoungGenerationSizeMb,
    errorOf: (message: string) => new Error(message),
    unavailable: (cause) => cause ?? new Error("the processors' thread was closed"),
  });
  await thread.call('started');
  void thread.crashed.then(options.onDeath);
  return {
    /**
     * The thread's metrics, as prom-client's JSON. Rejects once the thread is closing or has ended.
     */
    metrics: () => thread.call('metrics'),
    /** Says why nothing is sent; with undefined, webhooks are sent from now on. */
    setOutgoing: (reason: string | undefined) => thread.call('setOutgoing', reason),
    /** Finishes the work in progress and ends the thread. */
    close: () => thread.close(),
  };
};
