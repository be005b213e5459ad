/// <reference types="jest" />
import type { Position } from '@refledger/contracts';
import { ForeignOffset } from '../planner-store.js';
import { startedAttempt } from '../delivery.js';
import {
  endpointOf,
  leaseOf,
  offsetAt,
  planOf,
  planned,
  succeeded,
  t,
  type StoreUnderTest,
} from './under-test.js';

/** Tests the writing of plans, offsets and the floor. */
export const planning = (at: StoreUnderTest): void => {
  describe('planning', () => {
    it('stores `sending` deliveries with their first attempt and `waiting` ones without, and returns those inserted', async () => {
      const [first, second] = [planned('a', 1, 'sending'), planned('a', 2)];
      const inserted = await at.store.plan(planOf([first, second]), leaseOf('one', 1));
      expect(inserted).toEqual([first.id, second.id]);
      expect(await at.store.get(first.id)).toEqual({
        ...first,
        attemptCount: 1,
        failures: 0,
        attempts: [startedAttempt(1, t(1))],
        dueAt: null,
        createdAt: t(1),
        finishedAt: null,
        reason: null,
        replayId: null,
      });
      expect(await at.store.get(second.id)).toEqual({
        ...second,
        attemptCount: 0,
        failures: 0,
        attempts: [],
        dueAt: t(1),
        createdAt: t(1),
        finishedAt: null,
        reason: null,
        replayId: null,
      });
    });

    it('plans a repeated delivery once, and keeps the first', async () => {
      await at.store.plan(planOf([planned('a', 1, 'sending')]), leaseOf('one', 1));
      await at.store.recordOutcomes([succeeded(planned('a', 1))], 'one');
      const again = await at.store.plan(
        planOf([planned('a', 1, 'sending'), planned('a', 2, 'sending')], 2),
        leaseOf('two', 5),
      );
      expect(again).toEqual([planned('a', 2).id]);
      expect(await at.store.get(planned('a', 1).id)).toMatchObject({
        status: 'succeeded',
        createdAt: t(1),
        attempts: [{ number: 1, outcome: 'succeeded' }],
      });
    });

    it('keeps the position at which a delivery was decided, apart from that of its event', async () => {
      const decidedAt = '9223372036854775807' as Position;
      const delivery = { ...planned('a', 1), decidedAt };
      await at.store.plan(planOf([delivery]), leaseOf('one', 1));
      expect(await at.store.get(delivery.id)).toMatchObject({ position: '1', decidedAt });
      const [claimed] = await at.store.claim(endpointOf('a'), 1, leaseOf('one', 2));
      expect(claimed).toMatchObject({ position: '1', decidedAt });
    });

    it('keeps the exact bytes of a body', async () => {
      const body = JSON.stringify({ text: 'ü€😀\u2028\u0000"\\', big: '9'.repeat(100_000) });
      await at.store.plan(
        planOf([planned('a', 1, 'waiting', body), planned('a', 2, 'waiting', `raw\u0000after`)]),
        leaseOf('one', 1),
      );
      const [first, second] = await at.store.claim(endpointOf('a'), 2, leaseOf('one', 2));
      expect(first?.body).toBe(body);
      expect(second?.body).toBe('raw\u0000after');
    });

    it('only raises offset and floor, even for a batch without deliveries', async () => {
      await at.store.plan(planOf([], 10), leaseOf('one', 1));
      await at.store.plan(planOf([], 9), leaseOf('two', 1));
      expect(await at.store.offset('log')).toEqual(offsetAt(10));
      expect(await at.store.offsets()).toEqual([offsetAt(10)]);
      expect(await at.store.floor()).toBe('10');
      await at.store.plan({ ...planOf([], 100), floor: undefined }, leaseOf('one', 1));
      expect(await at.store.offset('log')).toEqual(offsetAt(100));
      expect(await at.store.floor()).toBe('10');
    });

    it('has no offset for a partition that it never read', async () => {
      expect(await at.store.offset('log')).toBeUndefined();
      expect(await at.store.floor()).toBeUndefined();
    });

    it('rejects a whole batch with an offset from another source', async () => {
      await at.store.plan(planOf([], 5), leaseOf('one', 1));
      const foreign = { ...planOf([planned('a', 1)]), offset: offsetAt(9, 'log two') };
      await expect(at.store.plan(foreign, leaseOf('one', 1))).rejects.toThrow(ForeignOffset);
      expect(await at.store.get(planned('a', 1).id)).toBeUndefined();
      expect(await at.store.offset('log')).toEqual(offsetAt(5));
    });

    it('succeeds or fails independently of concurrent batches', async () => {
      await at.store.plan(planOf([], 5), leaseOf('one', 1));
      const foreign = at.store.plan(
        { ...planOf([planned('a', 1)]), offset: offsetAt(9, 'log two') },
        leaseOf('one', 1),
      );
      const good = at.store.plan(planOf([planned('a', 2)], 7), leaseOf('one', 1));
      await expect(foreign).rejects.toThrow(ForeignOffset);
      expect(await good).toEqual([planned('a', 2).id]);
      expect(await at.statusOf(planned('a', 1).id)).toBeUndefined();
      expect(await at.store.offset('log')).toEqual(offsetAt(7));
    });

    it('moves to the operator’s position, backward and to another source too', async () => {
      await at.store.plan(planOf([], 10), leaseOf('one', 1));
      await at.store.resetOffsets([offsetAt(3, 'log two')], '3' as Position);
      expect(await at.store.offsets()).toEqual([offsetAt(3, 'log two')]);
      expect(await at.store.floor()).toBe('3');
      await at.store.resetOffsets([], undefined);
      expect(await at.store.offsets()).toEqual([]);
      expect(await at.store.floor()).toBeUndefined();
    });
  });
};
