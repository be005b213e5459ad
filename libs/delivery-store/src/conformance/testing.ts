/// <reference types="jest" />
import type { Position } from '@refledger/contracts';
import { lateTest, lostTest } from '../delivery.js';
import type { RequestedDelivery } from '../request-store.js';
import {
  recoveryBy,
  ended,
  endpointOf,
  leaseOf,
  planned,
  resultOf,
  succeeded,
  t,
  unsubscribedAt,
  type StoreUnderTest,
} from './under-test.js';

/** Tests the deliveries that test an endpoint. */
export const testing = (at: StoreUnderTest): void => {
  const a = endpointOf('a');
  const test = (n: number, endpoint = 'a'): RequestedDelivery => ({
    ...planned(endpoint, n),
    trigger: 'test',
    position: '0' as Position,
    status: 'waiting',
  });
  const asked = async (...tests: readonly RequestedDelivery[]): Promise<void> => {
    for (const one of tests) await at.store.request(one, t(1));
  };

  describe('tests', () => {
    it('are claimed separately from all that is due', async () => {
      await asked(test(1), test(2, 'b'));
      await at.store.request({ ...planned('a', 3), status: 'waiting' }, t(1));
      expect(await at.store.get(test(1).id)).toMatchObject({
        status: 'waiting',
        dueAt: null,
        position: '0',
      });
      expect(await at.store.endpointsDue(t(9))).toEqual([a]);
      expect(await at.store.nextDueAt(t(1))).toBeUndefined();
      expect(await at.store.claim(a, 5, leaseOf('one', 2))).toMatchObject([
        { id: planned('a', 3).id },
      ]);
      const claimed = await at.store.claimTests(a, leaseOf('one', 2));
      expect(claimed).toMatchObject([
        { id: test(1).id, status: 'sending', attemptCount: 1, body: test(1).body },
      ]);
      expect(await at.store.claimTests(a, leaseOf('two', 2))).toEqual([]);
      await at.store.recordOutcomes([succeeded(test(1), 3)], 'one');
      expect(await at.store.get(test(1).id)).toMatchObject({ status: 'succeeded' });
      expect(await at.store.counts(a)).toMatchObject({ succeeded: 1, waiting: 0, sending: 1 });
    });

    it('are never held, and are canceled with their endpoint', async () => {
      await asked(test(1));
      expect(await at.store.hold(a, '9' as Position)).toBe(0);
      expect(await at.store.holdRetries(a, t(1))).toBe(0);
      expect(await at.statusOf(test(1).id)).toBe('waiting');
      expect(await at.store.cancel(a, unsubscribedAt(9, 5))).toBe(1);
      expect(await at.statusOf(test(1).id)).toBe('canceled');
    });

    it('can be canceled until they are claimed', async () => {
      await asked(test(1), test(2, 'b'));
      await at.store.claimTests(a, leaseOf('one', 2));
      expect(await at.store.cancelWaiting(test(1).id, 'late', t(7))).toBe(false);
      expect(await at.store.cancelWaiting(test(2, 'b').id, 'late', t(7))).toBe(true);
      expect(await at.store.cancelWaiting(test(2, 'b').id, 'again', t(8))).toBe(false);
      expect(await at.store.get(test(2, 'b').id)).toMatchObject({
        status: 'canceled',
        reason: 'late',
        finishedAt: t(7),
      });
      expect(await at.store.claimTests(endpointOf('b'), leaseOf('one', 9))).toEqual([]);
      expect(await at.store.counts()).toMatchObject({ canceled: 1, sending: 1, waiting: 0 });
    });

    it('have failed once the dispatcher that sent them is lost', async () => {
      await asked(test(1), test(2, 'b'));
      await at.store.claimTests(a, leaseOf('one', 2));
      await at.store.claimTests(endpointOf('b'), leaseOf('two', 2));
      expect(await at.store.recoverLeftBy('one', t(5))).toBe(1);
      expect(await at.store.recover(recoveryBy('three', 60))).toBe(1);
      for (const [{ id }, seconds] of [
        [test(1), 5],
        [test(2, 'b'), 60],
      ] as const)
        expect(await at.store.get(id)).toMatchObject({
          status: 'failed',
          reason: lostTest,
          dueAt: null,
          finishedAt: t(seconds),
          attempts: [{ number: 1, outcome: 'unknown', finishedAt: t(seconds) }],
        });
      expect(await at.store.counts()).toMatchObject({ failed: 2, sending: 0 });
    });

    it('are canceled if no one claims them for a minute', async () => {
      await asked(test(1), test(2, 'b'));
      await at.store.claimTests(endpointOf('b'), leaseOf('one', 2, 90));
      await at.store.request({ ...planned('a', 3), status: 'waiting' }, t(1));
      await at.store.recover(recoveryBy('two', 61));
      expect(await at.statusOf(test(1).id)).toBe('waiting');
      await at.store.recover(recoveryBy('two', 62));
      expect(await at.store.get(test(1).id)).toMatchObject({
        status: 'canceled',
        reason: lateTest,
        finishedAt: t(62),
      });
      expect(await at.store.counts()).toMatchObject({ canceled: 1, waiting: 1, sending: 1 });
    });

    it('are not among the deliveries whose events a log must have', async () => {
      await asked(test(1), test(2));
      await at.store.request({ ...planned('a', 3), status: 'waiting' }, t(1));
      const { id, eventId, position, decidedAt } = planned('a', 3);
      const only = [{ id, eventId, position, decidedAt }];
      expect(await at.store.unfinished(a)).toEqual(only);
      await at.store.claimTests(a, leaseOf('one', 2));
      expect(await at.store.unfinished(a)).toEqual(only);
    });

    it('say nothing about the health of their endpoint', async () => {
      await asked(test(1), test(2));
      await at.store.claimTests(a, leaseOf('one', 2));
      const failed = { status: 'failed', reason: 'x' } as const;
      const second = resultOf(test(2), ended(1, 6, 'bad_status', 500), failed, 1);
      await at.store.recordOutcomes([succeeded(test(1), 5), second], 'one');
      expect(await at.store.succeededSince(a, t(1), t(9))).toBe(false);
    });
  });
};
