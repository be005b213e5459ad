/// <reference types="jest" />
import {
  recoveryBy,
  leaseOf,
  planOf,
  planned,
  retried,
  t,
  type StoreUnderTest,
} from './under-test.js';

/** Tests what happens to waiting deliveries and leases when the clock is put back. */
export const clockRollback = (at: StoreUnderTest): void => {
  describe('a clock that was set back', () => {
    it('restarts waits that started in the future, and leaves earlier ones unchanged', async () => {
      const { store } = at;
      const [attempted, unattempted, earlier] = [
        planned('a', 1, 'sending'),
        planned('a', 2),
        planned('b', 3, 'sending'),
      ];
      await store.plan(planOf([earlier]), leaseOf('one', 5));
      await store.recordOutcomes([retried(earlier, 70, 10)], 'one');
      await store.plan(planOf([attempted, unattempted]), leaseOf('one', 1_000));
      await store.recordOutcomes([retried(attempted, 1_060, 1_030)], 'one');
      expect(await store.reschedule(leaseOf('one', 60))).toBe(2);
      expect([
        (await store.get(attempted.id))?.dueAt,
        (await store.get(unattempted.id))?.dueAt,
        (await store.get(earlier.id))?.dueAt,
      ]).toEqual([t(90), t(60), t(70)]);
      expect(await store.reschedule(leaseOf('one', 2_000))).toBe(0);
    });

    it('lets no lease end later than a new one would', async () => {
      const { store } = at;
      await store.plan(planOf([planned('a', 1, 'sending')]), leaseOf('lost', 50));
      await store.plan(planOf([planned('a', 2, 'sending')], 2), leaseOf('lost', 1_000));
      await store.plan(planOf([planned('a', 3, 'sending')], 3), leaseOf('renewed', 50));
      await store.renew(leaseOf('renewed', 1_000));
      await store.reschedule(leaseOf('one', 60));
      expect(await store.recover(recoveryBy('one', 79))).toBe(0);
      expect(await store.recover(recoveryBy('one', 80))).toBe(1);
      expect(await store.recover(recoveryBy('one', 90))).toBe(2);
    });
  });
};
