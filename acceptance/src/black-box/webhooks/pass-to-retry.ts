import type { Delivery, MovableClock, TestAccount } from '@refledger/testing';

/** Lets time pass until the next retry to an endpoint, if all its unfinished deliveries wait for one. */
export const passToRetry = async (
  account: TestAccount,
  endpointId: string,
  clock: MovableClock,
): Promise<void> => {
  const deliveries = await account.all<Delivery>('/v1/deliveries', { endpoint_id: endpointId });
  if (deliveries.some(({ status }) => status === 'sending')) return;
  const [next] = deliveries
    .filter(({ status }) => status === 'waiting')
    .map(({ next_attempt_at }) => next_attempt_at ?? '')
    .toSorted();
  // NaN if none waits, or one is not planned yet
  const waitMs = Date.parse(next ?? '') - clock.now();
  if (waitMs > 0) await clock.pass(waitMs + 1);
};
