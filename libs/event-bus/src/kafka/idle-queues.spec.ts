import { createRequire } from 'node:module';
import './kafka-client.js';

interface RequestQueue {
  readonly throttleCheckTimeoutId: unknown;
  checkPendingRequests(): void;
  maybeThrottle(ms: number): void;
  push(request: object): void;
  destroy(): void;
}

const Queue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as new (
  options: object,
) => RequestQueue;

let queue: RequestQueue;
beforeEach(() => {
  queue = new Queue({ maxInFlightRequests: 1, logger: { debug: () => undefined } });
});
afterEach(() => queue.destroy());

it('an empty queue is not checked again', () => {
  queue.checkPendingRequests();
  expect(queue.throttleCheckTimeoutId).toBeNull();
});

it('a request that the broker throttles is sent later', async () => {
  queue.maybeThrottle(20);
  const sendRequest = jest.fn();
  await new Promise<void>((resolve) =>
    queue.push({ entry: { correlationId: 1, resolve }, expectResponse: false, sendRequest }),
  );
  expect(sendRequest).toHaveBeenCalledTimes(1);
  expect(queue.throttleCheckTimeoutId).toBeNull();
});
