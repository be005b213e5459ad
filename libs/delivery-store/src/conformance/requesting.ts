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
  type StoreUnderTest,
} from './under-test.js';

/** Tests requested deliveries. */
export const requesting = (at: StoreUnderTest): void => {
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

    describe('with a key', () => {
      const key = { id: again(first, 1).id, original: first.id };
      const other = { ...key, original: planned('b', 1).id };

      it('make one delivery, whose key names the original and is readable by others', async () => {
        expect(await at.store.answeredKey(key.id)).toBeUndefined();
        expect(await at.store.request(again(first, 1), t(5), key)).toBe(true);
        expect(await at.store.request(again(first, 1), t(6), other)).toBe(false);
        const answered = { ...key, answered: again(first, 1).id };
        const reader = await at.fixture.read();
        for (const store of [at.store, reader])
          expect(await store.answeredKey(key.id)).toEqual(answered);
        await reader.close();
        expect(await at.store.answeredKeys([first.id, again(first, 1).id])).toEqual([answered]);
      });

      it('make a waiting delivery due once, and later requests change nothing', async () => {
        await at.store.plan(planOf([first]), leaseOf('one', 1));
        await at.store.recordOutcomes([retried(first, 60)], 'one');
        expect(await at.store.makeDue(first.id, t(10), key)).toBe(true);
        expect(await at.store.get(first.id)).toMatchObject({ dueAt: t(10) });
        await at.store.claim(a, 1, leaseOf('one', 11));
        await at.store.recordOutcomes([retried(first, 90, 12, 2)], 'one');
        expect(await at.store.makeDue(first.id, t(20), key)).toBe(false);
        expect(await at.store.get(first.id)).toMatchObject({ status: 'waiting', dueAt: t(90) });
        expect(await at.store.answeredKey(key.id)).toEqual({ ...key, answered: first.id });
        const next = { ...key, id: again(first, 2).id };
        expect(await at.store.makeDue(first.id, t(20), next)).toBe(true);
        expect(new Set(await at.store.answeredKeys([first.id]))).toEqual(
          new Set([key, next].map((used) => ({ ...used, answered: first.id }))),
        );
        expect(await at.store.request(again(first, 2), t(21), next)).toBe(false);
        expect(await at.statusOf(again(first, 2).id)).toBeUndefined();
      });

      it('are answered with a delivery that is held, sending or due already, but not with one that has ended', async () => {
        const [held, due] = [planned('a', 2, 'held'), planned('a', 3)];
        await at.store.plan(planOf([first, held, due]), leaseOf('one', 1));
        for (const [n, { id }] of [first, held, due].entries()) {
          const of = { id: again(first, n + 1).id, original: id };
          const before = await at.store.get(id);
          expect(await at.store.makeDue(id, t(5), of)).toBe(true);
          expect(await at.store.get(id)).toEqual(before);
          expect(await at.store.answeredKey(of.id)).toEqual({ ...of, answered: id });
        }
        await at.store.recordOutcomes([succeeded(first)], 'one');
        expect(await at.store.makeDue(first.id, t(5))).toBe(false);
        const late = { id: again(first, 9).id, original: first.id };
        expect(await at.store.makeDue(first.id, t(5), late)).toBe(false);
        expect(await at.store.makeDue(planned('a', 99).id, t(5), late)).toBe(false);
        expect(await at.store.answeredKey(late.id)).toBeUndefined();
      });

      it('of many at once, one has an effect, whatever they name', async () => {
        const second = await at.fixture.open();
        const waiting = planned('a', 2);
        await at.store.plan(planOf([first, waiting]), leaseOf('one', 1));
        await at.store.recordOutcomes([failed], 'one');
        const effects = await Promise.all(
          [at.store, second, at.store, second].flatMap((store) => [
            store.request(again(first, 1), t(5), key),
            store.makeDue(waiting.id, t(5), { ...key, original: waiting.id }),
          ]),
        );
        expect(effects.filter((hadEffect) => hadEffect)).toHaveLength(1);
        await second.close();
      });

      it('are kept as long as the delivery that they were answered with', async () => {
        await at.store.plan(planOf([first]), leaseOf('one', 1));
        await at.store.recordOutcomes([failed], 'one');
        await at.store.request(again(first, 1), t(5), key);
        expect(await at.store.expire(t(9), 5)).toBe(1);
        expect(await at.store.answeredKey(key.id)).toBeDefined();
        await at.store.claim(a, 1, leaseOf('one', 11));
        await at.store.recordOutcomes([succeeded(again(first, 1), 12)], 'one');
        expect(await at.store.expire(t(20), 5)).toBe(1);
        expect(await at.store.answeredKey(key.id)).toBeUndefined();
      });
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
