/// <reference types="jest" />
import type { PlannedDelivery } from '../planner-store.js';
import type { RequestedDelivery } from '../request-store.js';
import {
  ended,
  endpointOf,
  leaseOf,
  planOf,
  planned,
  resultOf,
  retried,
  succeeded,
  t,
  type Current,
} from './under-test.js';

/** Tests requested deliveries. */
export const requesting = (at: Current): void => {
  const a = endpointOf('a');
  /** A redelivery of the event of another delivery. */
  const again = (of: PlannedDelivery, n: number): RequestedDelivery => ({
    ...of,
    id: planned('again', n).id,
    trigger: 'redeliver',
    status: 'waiting',
  });
  const first = planned('a', 1, 'sending');
  const failed = resultOf(
    first,
    ended(1, 3, 'bad_status', 500),
    { status: 'failed', reason: 'given up' },
    1,
  );

  describe('requests', () => {
    it('are stored once, and claimed like any other', async () => {
      const request = again(first, 1);
      expect(await at.store.request(request, t(5))).toBe(true);
      expect(await at.store.request({ ...request, body: 'another' }, t(6))).toBe(false);
      expect(await at.store.get(request.id)).toMatchObject({
        trigger: 'redeliver',
        status: 'waiting',
        dueAt: t(5),
        createdAt: t(5),
        body: first.body,
        attempts: [],
      });
      expect(await at.store.counts(a)).toMatchObject({ waiting: 1 });
      expect(await at.store.endpointsDue(t(5))).toEqual([a]);
      expect(await at.store.claim(a, 5, leaseOf('one', 6))).toMatchObject([{ id: request.id }]);
    });

    it('are noted per endpoint, and each note is taken once', async () => {
      const other = await at.fixture.open();
      expect(await at.store.takeRequested()).toEqual([]);
      await at.store.plan(planOf([first, planned('b', 2, 'sending')]), leaseOf('one', 1));
      await at.store.recordOutcomes([retried(first, 60), retried(planned('b', 2), 60)], 'one');
      for (const n of [1, 2]) await other.request(again(first, n), t(5));
      await other.request(again(first, 1), t(6));
      await other.makeDue(planned('b', 2).id, t(6));
      await other.makeDue(planned('c', 9).id, t(6));
      expect([...(await at.store.takeRequested())].sort()).toEqual([a, endpointOf('b')].sort());
      expect(await other.takeRequested()).toEqual([]);
      await other.makeDue(planned('b', 2).id, t(7));
      expect(await at.store.takeRequested()).toEqual([]);
      await other.close();
    });

    it('may be held, without a body', async () => {
      const request = { ...again(first, 1), status: 'held', body: null } as const;
      expect(await at.store.request(request, t(5))).toBe(true);
      expect(await at.store.get(request.id)).toMatchObject({ status: 'held', body: null });
      expect(await at.store.claim(a, 5, leaseOf('one', 6), 'held')).toMatchObject([
        { id: request.id },
      ]);
    });

    it('make a waiting delivery due at once, and change nothing else', async () => {
      const other = planned('a', 2, 'sending');
      await at.store.plan(planOf([first, other, planned('a', 3)]), leaseOf('one', 1));
      await at.store.recordOutcomes([retried(first, 60)], 'one');
      for (const { id } of [first, other, planned('a', 3), planned('a', 99)])
        await at.store.makeDue(id, t(10));
      expect(await at.store.get(first.id)).toMatchObject({ status: 'waiting', dueAt: t(10) });
      expect(await at.store.get(other.id)).toMatchObject({ status: 'sending', dueAt: null });
      expect(await at.store.get(planned('a', 3).id)).toMatchObject({ dueAt: t(1) });
    });

    it('recover what failed once they succeed: the first later one that succeeded counts', async () => {
      await at.store.plan(planOf([first, planned('b', 1, 'sending')]), leaseOf('one', 1));
      await at.store.recordOutcomes([failed], 'one');
      const recovered = async () => {
        const { eventId, endpointId } = first;
        const later = { eventId, endpointId, createdAt: t(6) };
        return at.store.recoveries([
          { eventId, endpointId, createdAt: t(1) },
          { ...later, endpointId: endpointOf('b'), createdAt: t(1) },
          later,
        ]);
      };
      const none = [undefined, undefined, undefined];
      const [one, two] = [again(first, 1), again(first, 2)];
      await at.store.request(one, t(5));
      await at.store.request(two, t(6));
      await at.store.claim(a, 5, leaseOf('one', 7));
      expect(await recovered()).toEqual(none);
      await at.store.recordOutcomes([succeeded(two, 8)], 'one');
      expect(await recovered()).toEqual([two.id, undefined, undefined]);
      await at.store.recordOutcomes([succeeded(one, 9)], 'one');
      expect(await recovered()).toEqual([one.id, undefined, undefined]);
      const reader = await at.fixture.read();
      const { eventId, endpointId } = first;
      expect(await reader.recoveries([{ eventId, endpointId, createdAt: t(1) }])).toEqual([one.id]);
      await reader.close();
    });
  });
};
