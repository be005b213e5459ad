/// <reference types="jest" />
import type { DeliveryId, Position } from '@refledger/contracts';
import {
  endpointOf,
  leaseOf,
  planOf,
  planned,
  retried,
  succeeded,
  t,
  unsubscribedAt,
  type StoreUnderTest,
} from './under-test.js';

/** Tests canceling, listing, counting and removing. */
export const maintenance = (at: StoreUnderTest): void => {
  describe('maintenance', () => {
    it('cancels the waiting deliveries of one endpoint, not those in flight or of others', async () => {
      await at.store.plan(
        planOf([planned('a', 1), planned('a', 2, 'sending'), planned('a', 3), planned('b', 4)]),
        leaseOf('one', 1),
      );
      expect(await at.store.cancel(endpointOf('a'), unsubscribedAt(5, 9))).toBe(2);
      expect(await at.store.get(planned('a', 1).id)).toMatchObject({
        status: 'canceled',
        reason: 'unsubscribed',
        finishedAt: t(9),
        dueAt: null,
      });
      expect(await at.store.counts(endpointOf('a'))).toMatchObject({
        canceled: 2,
        sending: 1,
        waiting: 0,
      });
      expect(await at.store.counts()).toEqual({
        waiting: 1,
        held: 0,
        sending: 1,
        succeeded: 0,
        failed: 0,
        canceled: 2,
      });
      expect(await at.store.claim(endpointOf('a'), 5, leaseOf('one', 10))).toEqual([]);
    });

    it('cancels only what was decided below a position, whatever the positions of the events', async () => {
      const decidedAt = (n: number, position: string) => ({
        ...planned('a', n),
        decidedAt: position as Position,
      });
      // these sort differently as text than as numbers, and 2 ** 53 + 1 is not exact as a
      // floating-point number
      const all = [
        decidedAt(4, '9'),
        decidedAt(3, '9007199254740992'),
        decidedAt(2, '9007199254740993'),
        decidedAt(1, '10000000000000000'),
      ];
      await at.store.plan(planOf(all), leaseOf('one', 1));
      const cancel = (position: string) =>
        at.store.cancel(endpointOf('a'), {
          decidedBelow: position as Position,
          reason: 'disabled',
          now: t(9),
        });
      const statuses = () => Promise.all(all.map(({ id }) => at.statusOf(id)));
      expect(await cancel('9')).toBe(0);
      expect(await cancel('10')).toBe(1);
      expect(await statuses()).toEqual(['canceled', 'waiting', 'waiting', 'waiting']);
      expect(await cancel('9007199254740993')).toBe(1);
      expect(await statuses()).toEqual(['canceled', 'canceled', 'waiting', 'waiting']);
      expect((await at.store.claim(endpointOf('a'), 5, leaseOf('one', 10))).length).toBe(2);
    });

    it('lists all unfinished deliveries of an endpoint, held and future ones too, and cancels chosen ones', async () => {
      await at.store.plan(
        planOf([
          planned('a', 1),
          planned('a', 2, 'sending'),
          planned('a', 3, 'sending'),
          planned('a', 4),
          planned('b', 5),
        ]),
        leaseOf('one', 1),
      );
      await at.store.recordOutcomes([retried(planned('a', 3), 9_999)], 'one');
      const unfinished = [...(await at.store.unfinished(endpointOf('a')))].sort(
        (a, b) => Number(a.position) - Number(b.position),
      );
      expect(unfinished).toEqual(
        [1, 2, 3, 4].map((n) => ({
          id: planned('a', n).id,
          eventId: planned('a', n).eventId,
          position: String(n),
          decidedAt: String(n),
        })),
      );
      expect(
        await at.store.cancelUnfinished(
          [2, 3, 4, 99].map((n) => planned('a', n).id),
          'lost',
          t(9),
        ),
      ).toBe(3);
      expect(await at.store.get(planned('a', 3).id)).toMatchObject({
        status: 'canceled',
        reason: 'lost',
        finishedAt: t(9),
        dueAt: null,
      });
      expect(await at.store.counts(endpointOf('a'))).toMatchObject({
        canceled: 3,
        sending: 0,
        waiting: 1,
      });
      expect(await at.store.cancelUnfinished([], 'lost', t(9))).toBe(0);
      expect(await at.store.cancelUnfinished([planned('a', 2).id], 'lost', t(10))).toBe(0);
    });

    it('lists an endpoint’s deliveries newest first, page by page', async () => {
      const all = Array.from({ length: 7 }, (_, n) =>
        planned('a', n, n % 2 === 0 ? 'sending' : 'waiting'),
      );
      await at.store.plan(planOf([...all, planned('b', 50)]), leaseOf('one', 1));
      const seen: DeliveryId[] = [];
      for (let pages = 0; pages < 4; pages++) {
        const last = seen.at(-1);
        seen.push(
          ...(
            await at.store.list({
              endpointId: endpointOf('a'),
              limit: 2,
              ...(last && { after: last }),
            })
          ).map(({ id }) => id),
        );
      }
      expect(seen).toEqual(all.map(({ id }) => id).reverse());
    });

    it('lists the endpoints that have deliveries, in order', async () => {
      expect(await at.store.endpoints()).toEqual([]);
      await at.store.plan(
        planOf([planned('b', 1, 'sending'), planned('a', 2), planned('c', 3), planned('b', 4)]),
        leaseOf('one', 1),
      );
      expect(await at.store.endpoints()).toEqual(['a', 'b', 'c'].map(endpointOf).sort());
      await at.store.recordOutcomes([succeeded(planned('b', 1), 10)], 'one');
      await at.store.cancel(endpointOf('c'), unsubscribedAt(4, 10));
      await at.store.expire(t(11), 5);
      expect(await at.store.endpoints()).toEqual(['a', 'b'].map(endpointOf).sort());
    });

    it('removes old finished deliveries in steps, never waiting ones', async () => {
      const all = [1, 2, 3, 4].map((n) => planned('a', n, 'sending'));
      await at.store.plan(planOf([...all, planned('a', 5)]), leaseOf('one', 1));
      await at.store.recordOutcomes(
        [
          succeeded(planned('a', 1), 10),
          succeeded(planned('a', 2), 11),
          succeeded(planned('a', 3), 12),
        ],
        'one',
      );
      expect(await at.store.expire(t(12), 1)).toBe(1);
      expect(await at.store.get(planned('a', 1).id)).toBeUndefined();
      expect(await at.store.expire(t(12), 5)).toBe(1);
      expect(await at.store.expire(t(12), 5)).toBe(0);
      expect(await at.store.counts(endpointOf('a'))).toEqual({
        waiting: 1,
        held: 0,
        sending: 1,
        succeeded: 1,
        failed: 0,
        canceled: 0,
      });
    });
  });
};
