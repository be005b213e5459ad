import type { EndpointId } from '@refledger/contracts';
import { EventWriter } from '@refledger/event-bus/conformance';
import { until } from '@refledger/testing';
import { Receiver } from './receiver.js';
import { Workbench, type Running } from './workbench.js';

/** The workbench of the running test, from `newHarnessForEach`. */
export let bench: Workbench;
/** The receiver of the running test. */
export let receiver: Receiver;
/** A second receiver, for other endpoints. */
export let others: Receiver;
export let writer: EventWriter;

/** Opens all of these before each test, and closes them after it. */
export const newHarnessForEach = (): void => {
  beforeEach(async () => {
    bench = await Workbench.open();
    receiver = await new Receiver().open();
    others = await new Receiver().open();
    writer = new EventWriter(bench.log);
  });
  afterEach(async () => {
    await receiver.close();
    await others.close();
    await bench.close();
  });
};

/**
 * Resolves once each of `count` deliveries to an endpoint waits for its first retry. A delivery also
 * counts as waiting before its first attempt.
 */
export const firstRetryWaits = (
  { store }: Pick<Running, 'store'>,
  endpointId: EndpointId,
  count = 1,
): Promise<unknown> =>
  until(async () => {
    const deliveries = await store.list({ endpointId, limit: count + 1 });
    return (
      deliveries.length === count &&
      deliveries.every(({ status, attemptCount }) => status === 'waiting' && attemptCount === 1)
    );
  });
