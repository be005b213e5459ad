import type { DeliveryId } from '@refledger/contracts';
import type { Collection, Filter } from 'mongodb';
import { claims } from './claims.js';
import type { DeliveryDocument } from './delivery-document.js';
import { outcomes } from './outcomes.js';

const ids = Array.from({ length: 250 }, (_, n): DeliveryId => `dlv_${n}`);
const lease = {
  holder: 'one',
  now: '2026-01-01T00:00:00.000Z',
  leaseUntil: '2026-01-01T00:00:30.000Z',
};

/** Test double: records how many deliveries each request updates. It stores nothing. */
const recording = (sizes: number[]) =>
  ({
    updateMany: ({ _id }: Filter<DeliveryDocument>) =>
      Promise.resolve(void sizes.push((_id as { $in: readonly string[] }).$in.length)),
    bulkWrite: (operations: readonly unknown[]) =>
      Promise.resolve(void sizes.push(operations.length)),
  }) as unknown as Collection<DeliveryDocument>;

it.each<[string, (deliveries: Collection<DeliveryDocument>) => Promise<void>]>([
  ['renewing leases', (deliveries) => claims(deliveries).renew(ids, lease)],
  ['releasing', (deliveries) => claims(deliveries).release(ids, lease)],
  [
    'recording outcomes',
    (deliveries) =>
      outcomes(deliveries).recordOutcomes(
        ids.map((deliveryId) => ({
          deliveryId,
          attempt: {
            number: 1,
            startedAt: lease.now,
            finishedAt: lease.now,
            outcome: 'succeeded',
            status: 200,
            error: null,
          },
          next: { status: 'succeeded' },
        })),
        'one',
      ),
  ],
])('%s updates a hundred deliveries per request', async (_what, update) => {
  const sizes: number[] = [];
  await update(recording(sizes));
  expect(sizes).toEqual([100, 100, 50]);
});
