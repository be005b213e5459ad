import { createRequire } from 'node:module';

/**
 * The part of a kafkajs queue that is used here. It holds the requests that wait for one broker.
 */
interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

const { prototype: queue } = createRequire(import.meta.url)(
  'kafkajs/src/network/requestQueue/index.js',
) as { readonly prototype: RequestQueue };

const { scheduleCheckPendingRequests } = queue;

/**
 * Stops the checks of queues in which no request waits. kafkajs 2.2.4 checks the queue of every
 * connection once a millisecond, which takes 4% of a core while nothing happens.
 */
export const stopPollingIdleQueues = (): void => {
  queue.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
  };
};
