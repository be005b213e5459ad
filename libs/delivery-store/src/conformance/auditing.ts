/// <reference types="jest" />
import { derivedId, type Position } from '@refledger/contracts';
import {
  endpointOf,
  leaseOf,
  planOf,
  planned,
  plannedHeld,
  succeeded,
  t,
  type StoreUnderTest,
} from './under-test.js';

/** Tests what an audit reads. */
export const auditing = (at: StoreUnderTest): void => {
  const [a, b] = [endpointOf('a'), endpointOf('b')];
  const both = async () => [at.store, await at.fixture.read()] as const;
  const plan = (deliveries: Parameters<typeof planOf>[0], offset = 1) =>
    at.store.plan(planOf(deliveries, offset), leaseOf('one', 1));

  describe('auditing', () => {
    it('returns the floor, and the statuses of those deliveries that exist', async () => {
      const [store, reader] = await both();
      expect(await reader.floor()).toBeUndefined();
      const all = [planned('a', 1, 'sending'), planned('a', 2), plannedHeld('b', 3)];
      await plan([...all, planned('a', 4)], 9);
      await at.store.recordOutcomes([succeeded(planned('a', 1))], 'one');
      const ids = [...all.map(({ id }) => id), derivedId('delivery', 'unknown')];
      for (const each of [store, reader]) {
        expect(await each.floor()).toBe('9');
        expect(await each.statuses([])).toEqual(new Map());
        expect(await each.statuses(ids)).toEqual(
          new Map([
            [ids[0], 'succeeded'],
            [ids[1], 'waiting'],
            [ids[2], 'held'],
          ]),
        );
      }
      await reader.close();
    });

    it('tells up to which event held deliveries were removed, and never goes back', async () => {
      const [store, reader] = await both();
      // a floating-point number cannot represent this position exactly
      const last = '9007199254740993' as Position;
      const sweepOne = async (endpointId: typeof a, seconds: number) => {
        await at.store.sweep({ endpointId }, { reason: 'old', now: t(seconds), limit: 1 });
        await at.store.removeSwept(t(seconds + 1), 5);
      };
      await plan([{ ...plannedHeld('a', 5), position: last }, plannedHeld('b', 1)]);
      expect(await store.removed()).toEqual({ endedBefore: undefined, heldThrough: new Map() });
      await sweepOne(a, 2);
      await plan([plannedHeld('a', 6)]);
      await sweepOne(a, 4);
      for (const each of [store, reader])
        expect((await each.removed()).heldThrough).toEqual(new Map([[a, last]]));
      await sweepOne(b, 6);
      expect((await store.removed()).heldThrough.get(b)).toBe('1');
      await reader.close();
    });

    it('tells when the last of the removed deliveries had ended, and never goes back', async () => {
      const [store, reader] = await both();
      await at.store.expire(t(9), 5);
      await at.store.expire(t(8), 5);
      for (const each of [store, reader]) expect((await each.removed()).endedBefore).toBe(t(9));
      await reader.close();
    });

    it('counts no redelivery among those removed', async () => {
      await at.store.request(
        { ...plannedHeld('a', 7), status: 'held', trigger: 'redeliver' },
        t(1),
      );
      await at.store.sweep({ endpointId: a }, { reason: 'old', now: t(2), limit: 1 });
      expect(await at.store.removeSwept(t(3), 5)).toBe(1);
      expect((await at.store.removed()).heldThrough).toEqual(new Map());
    });
  });
};
