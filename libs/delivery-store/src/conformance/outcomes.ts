/// <reference types="jest" />
import {
  recoveryBy,
  ended,
  endpointOf,
  leaseOf,
  offsetAt,
  planOf,
  planned,
  resultOf,
  retried,
  succeeded,
  t,
  unsent,
  type StoreUnderTest,
} from './under-test.js';

/** Tests the recording of outcomes, including after crashes. */
export const outcomes = (at: StoreUnderTest): void => {
  describe('outcomes', () => {
    it('finish a delivery, or make it due again', async () => {
      await at.store.plan(
        planOf([1, 2, 3, 4].map((position) => planned('a', position, 'sending'))),
        leaseOf('one', 1),
      );
      const givenUp = resultOf(
        planned('a', 3),
        ended(1, 4, 'bad_status', 410),
        { status: 'failed', reason: 'gone' },
        1,
      );
      const end = { status: 'canceled', reason: 'unsubscribed' } as const;
      const canceled = unsent(planned('a', 4), 4, 1, end);
      await at.store.recordOutcomes(
        [succeeded(planned('a', 1)), retried(planned('a', 2), 50), givenUp, canceled],
        'one',
      );
      expect(await at.store.get(planned('a', 1).id)).toMatchObject({
        status: 'succeeded',
        finishedAt: t(2),
        dueAt: null,
        reason: null,
        attemptCount: 1,
        failures: 0,
        attempts: [ended(1, 2, 'succeeded', 200)],
      });
      expect(await at.store.get(planned('a', 2).id)).toMatchObject({
        status: 'waiting',
        finishedAt: null,
        dueAt: t(50),
        attemptCount: 1,
        failures: 1,
        attempts: [ended(1, 2, 'bad_status', 500)],
      });
      expect(await at.store.get(planned('a', 3).id)).toMatchObject({
        status: 'failed',
        finishedAt: t(4),
        reason: 'gone',
      });
      expect(await at.store.get(planned('a', 4).id)).toMatchObject({
        status: 'canceled',
        finishedAt: t(4),
        reason: 'unsubscribed',
        attemptCount: 0,
        failures: 0,
        attempts: [],
      });
      expect(await at.store.counts(endpointOf('a'))).toEqual({
        waiting: 1,
        held: 0,
        sending: 0,
        succeeded: 1,
        failed: 1,
        canceled: 1,
      });
    });

    it('change nothing when repeated, or for a missing delivery', async () => {
      await at.store.plan(planOf([planned('a', 1, 'sending')]), leaseOf('one', 1));
      await at.store.recordOutcomes([succeeded(planned('a', 1))], 'one');
      await at.store.recordOutcomes(
        [retried(planned('a', 1), 50), succeeded(planned('a', 99))],
        'one',
      );
      expect(await at.statusOf(planned('a', 1).id)).toBe('succeeded');
      expect(await at.store.get(planned('a', 99).id)).toBeUndefined();
    });
  });

  describe('after a crash', () => {
    it('an attempt with a lost outcome is unknown and due immediately, with the same body', async () => {
      await at.store.plan(
        planOf([planned('a', 1, 'sending'), planned('b', 2, 'sending')]),
        leaseOf('one', 1, 300),
      );
      await at.store.recordOutcomes([succeeded(planned('b', 2))], 'one');
      await at.store.close();
      at.store = await at.fixture.open();
      expect(await at.store.recover(recoveryBy('one', 5))).toBe(0);
      expect(await at.store.recoverLeftBy('two', t(5))).toBe(0);
      expect(await at.store.recoverLeftBy('one', t(5))).toBe(1);
      expect(await at.store.get(planned('a', 1).id)).toMatchObject({
        status: 'waiting',
        dueAt: t(5),
        attempts: [{ number: 1, startedAt: t(1), finishedAt: t(5), outcome: 'unknown' }],
      });
      const [again] = await at.store.claim(endpointOf('a'), 5, leaseOf('one', 5));
      expect(again).toMatchObject({
        body: planned('a', 1).body,
        attempts: [{ outcome: 'unknown' }, { number: 2, outcome: null }],
      });
    });

    it('all data is kept: id, offsets, floor, deliveries', async () => {
      const { id } = at.store;
      await at.store.plan(
        planOf([planned('a', 1), planned('a', 2, 'sending')], 7),
        leaseOf('one', 1),
      );
      const before = [
        await at.store.get(planned('a', 1).id),
        await at.store.get(planned('a', 2).id),
      ];
      await at.store.close();
      at.store = await at.fixture.open();
      expect(at.store.id).toBe(id);
      expect(await at.store.offsets()).toEqual([offsetAt(7)]);
      expect(await at.store.floor()).toBe('7');
      expect([
        await at.store.get(planned('a', 1).id),
        await at.store.get(planned('a', 2).id),
      ]).toEqual(before);
    });
  });
};
