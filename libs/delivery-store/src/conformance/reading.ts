/// <reference types="jest" />
import { DeliveryStoreError } from '../delivery-store.js';
import type { DeliveryStoreFixture } from './under-test.js';
import { leaseOf, planOf, planned, succeeded, type StoreUnderTest } from './under-test.js';

/** Tests a store that is opened to read it. */
export const reading = (at: StoreUnderTest, factory: () => Promise<DeliveryStoreFixture>): void => {
  describe('a reader', () => {
    it('is not available before there is a store, and creates none', async () => {
      const fixture = await factory();
      for (let time = 0; time < 2; time++) {
        const error: unknown = await fixture.read().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(DeliveryStoreError);
      }
      await fixture.destroy();
    });

    it('shows what the store writes, and has its id', async () => {
      const reader = await at.fixture.read();
      expect(reader.id).toBe(at.store.id);
      const delivery = planned('a', 1, 'sending');
      const order = { by: 'created_at', descending: true } as const;
      const query = { accountId: delivery.accountId, order, limit: 10 };
      expect([await reader.get(delivery.id), await reader.find(query)]).toEqual([
        undefined,
        { deliveries: [], next: undefined },
      ]);
      await at.store.plan(planOf([delivery]), leaseOf('one', 1));
      await at.store.recordOutcomes([succeeded(delivery)], 'one');
      expect(await reader.get(delivery.id)).toEqual(await at.store.get(delivery.id));
      expect(await reader.find(query)).toEqual(await at.store.find(query));
      expect(await reader.find(query)).toMatchObject({ deliveries: [{ status: 'succeeded' }] });
      await reader.close();
    });
  });
};
