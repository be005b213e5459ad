/// <reference types="jest" />
import { present } from '@refledger/testing/present';
import {
  endpointOf,
  leaseOf,
  planOf,
  planned,
  retried,
  succeeded,
  t,
  type StoreUnderTest,
} from './under-test.js';

/** Tests claiming and releasing. */
export const claiming = (at: StoreUnderTest): void => {
  describe('claiming', () => {
    it('claims the earliest due deliveries of one endpoint, up to the limit, none before they are due', async () => {
      await at.store.plan(
        planOf([planned('a', 1, 'sending'), planned('a', 2), planned('a', 3), planned('b', 4)]),
        leaseOf('one', 1),
      );
      await at.store.recordOutcomes([retried(planned('a', 1), 60)], 'one');
      const taken = await at.store.claim(endpointOf('a'), 1, leaseOf('one', 10));
      expect(taken.map(({ id }) => id)).toEqual([planned('a', 2).id]);
      expect(taken[0]).toMatchObject({
        status: 'sending',
        dueAt: null,
        attempts: [{ number: 1, startedAt: t(10), finishedAt: null }],
      });
      expect(
        (await at.store.claim(endpointOf('a'), 10, leaseOf('one', 10))).map(({ id }) => id),
      ).toEqual([planned('a', 3).id]);
      expect(await at.store.claim(endpointOf('a'), 10, leaseOf('one', 59))).toEqual([]);
      const [retry] = await at.store.claim(endpointOf('a'), 10, leaseOf('one', 60));
      expect(retry?.attempts).toMatchObject([
        { number: 1, outcome: 'bad_status', status: 500 },
        { number: 2, startedAt: t(60), finishedAt: null, outcome: null },
      ]);
      expect(retry?.body).toBe(planned('a', 1).body);
    });

    it('releases unsent claims as if they had not been claimed', async () => {
      await at.store.plan(planOf([planned('a', 1), planned('a', 2, 'sending')]), leaseOf('one', 1));
      await at.store.recordOutcomes([retried(planned('a', 2), 5)], 'one');
      await at.store.claim(endpointOf('a'), 5, leaseOf('one', 6));
      await at.store.release([planned('a', 1).id], { holder: 'two', now: t(7) }, 'waiting');
      expect(await at.statusOf(planned('a', 1).id)).toBe('sending');
      await at.store.release(
        [planned('a', 1).id, planned('a', 2).id, planned('a', 3).id],
        {
          holder: 'one',
          now: t(7),
        },
        'waiting',
      );
      expect(await at.store.get(planned('a', 1).id)).toMatchObject({
        status: 'waiting',
        dueAt: t(7),
        attempts: [],
      });
      expect(await at.store.get(planned('a', 2).id)).toMatchObject({
        status: 'waiting',
        dueAt: t(7),
        attempts: [{ number: 1, outcome: 'bad_status' }],
      });
      const [again] = await at.store.claim(endpointOf('a'), 1, leaseOf('two', 8));
      await at.store.recordOutcomes([succeeded(present(again), 9)], 'two');
      expect(await at.statusOf(present(again).id)).toBe('succeeded');
    });

    it('lists the endpoints with due deliveries, and those with unfinished ones', async () => {
      await at.store.plan(
        planOf([
          planned('a', 1),
          planned('a', 2),
          planned('b', 3, 'sending'),
          planned('c', 4, 'sending'),
          planned('d', 5, 'sending'),
        ]),
        leaseOf('one', 1),
      );
      await at.store.recordOutcomes(
        [retried(planned('c', 4), 100), succeeded(planned('d', 5))],
        'one',
      );
      const due = async (seconds: number) => [...(await at.store.endpointsDue(t(seconds)))].sort();
      expect(await due(0)).toEqual([]);
      expect(await due(99)).toEqual([endpointOf('a')]);
      expect(await due(100)).toEqual([endpointOf('a'), endpointOf('c')].sort());
      expect([...(await at.store.endpointsUnfinished())].sort()).toEqual(
        [endpointOf('a'), endpointOf('b'), endpointOf('c')].sort(),
      );
    });

    it('returns the next instant, after a given one, at which a delivery is due', async () => {
      expect(await at.store.nextDueAt(t(0))).toBeUndefined();
      await at.store.plan(
        planOf([planned('a', 1), planned('b', 2, 'sending'), planned('b', 3, 'sending')]),
        leaseOf('one', 1),
      );
      await at.store.recordOutcomes([retried(planned('b', 3), 20)], 'one');
      expect(await at.store.nextDueAt(t(0))).toBe(t(1));
      expect(await at.store.nextDueAt(t(1))).toBe(t(20));
      expect(await at.store.nextDueAt(t(20))).toBeUndefined();
    });
  });
};
