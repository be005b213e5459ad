/// <reference types="jest" />
import type { DeliveryStore } from '../delivery-store.js';
import {
  recoveryBy,
  endpointOf,
  leaseOf,
  planOf,
  planned,
  retried,
  succeeded,
  t,
  type StoreUnderTest,
} from './under-test.js';

/** Tests several dispatchers that share one store. */
export const sharing = (at: StoreUnderTest): void => {
  describe('two dispatchers', () => {
    let other: DeliveryStore;
    beforeEach(async () => {
      other = await at.fixture.open();
    });
    afterEach(() => other.close());

    it('share one store', () => expect(other.id).toBe(at.store.id));

    it('never claim the same delivery', async () => {
      const all = Array.from({ length: 60 }, (_, n) => planned('a', n));
      await at.store.plan(planOf(all), leaseOf('one', 1));
      const claims = await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          (n % 2 === 0 ? at.store : other).claim(
            endpointOf('a'),
            3,
            leaseOf(n % 2 === 0 ? 'one' : 'two', 2),
          ),
        ),
      );
      const taken = claims.flat().map(({ id }) => id);
      expect(taken).toHaveLength(60);
      expect(new Set(taken).size).toBe(60);
    });

    it('both get as many as they ask for, while there are enough', async () => {
      for (let round = 0; round < 8; round++) {
        const endpoint = `round ${round}`;
        await at.store.plan(
          planOf(Array.from({ length: 30 }, (_, n) => planned(endpoint, n))),
          leaseOf('one', 1),
        );
        const claims = await Promise.all([
          at.store.claim(endpointOf(endpoint), 10, leaseOf('one', 2)),
          other.claim(endpointOf(endpoint), 20, leaseOf('two', 2)),
        ]);
        expect(claims.map(({ length }) => length)).toEqual([10, 20]);
      }
    });

    it('a delivery released by one and claimed by the other belongs to the other, whatever its attempt number', async () => {
      await at.store.plan(planOf([planned('a', 1)]), leaseOf('one', 1));
      await at.store.claim(endpointOf('a'), 1, leaseOf('one', 2));
      await at.store.release([planned('a', 1).id], leaseOf('one', 3), 'waiting');
      await other.claim(endpointOf('a'), 1, leaseOf('two', 4));
      await at.store.recordOutcomes([succeeded(planned('a', 1), 5, 1)], 'one');
      await at.store.release([planned('a', 1).id], leaseOf('one', 5), 'waiting');
      expect(await at.statusOf(planned('a', 1).id)).toBe('sending');
      await other.recordOutcomes([succeeded(planned('a', 1), 6, 1)], 'two');
      expect(await at.statusOf(planned('a', 1).id)).toBe('succeeded');
    });

    it('plan the same batch concurrently: one planner inserts each delivery', async () => {
      const all = Array.from({ length: 20 }, (_, n) => planned('a', n, 'sending'));
      const [mine, theirs] = await Promise.all([
        at.store.plan(planOf(all), leaseOf('one', 1)),
        other.plan(planOf(all), leaseOf('two', 1)),
      ]);
      expect([...mine, ...theirs].sort()).toEqual(all.map(({ id }) => id).sort());
    });

    it('one takes over expired claims of the other, and the suspended one changes nothing when it resumes', async () => {
      await at.store.plan(planOf([planned('a', 1, 'sending')]), leaseOf('one', 1, 30));
      expect(await other.recover(recoveryBy('two', 30))).toBe(0);
      expect(await other.recover(recoveryBy('two', 31))).toBe(1);
      await at.store.recordOutcomes([succeeded(planned('a', 1))], 'one');
      expect(await at.statusOf(planned('a', 1).id)).toBe('waiting');
      await other.claim(endpointOf('a'), 1, leaseOf('two', 32));
      await at.store.recordOutcomes([succeeded(planned('a', 1))], 'one');
      await at.store.renew(leaseOf('one', 32, 1_000));
      expect(
        await at.store.recover({ ...recoveryBy('one', 61), sending: [planned('a', 1).id] }),
      ).toBe(0);
      expect(await at.statusOf(planned('a', 1).id)).toBe('sending');
      await other.recordOutcomes([succeeded(planned('a', 1), 40, 2)], 'two');
      expect(await at.store.get(planned('a', 1).id)).toMatchObject({
        status: 'succeeded',
        attempts: [{ outcome: 'unknown' }, { number: 2, outcome: 'succeeded' }],
      });
    });

    it('an earlier attempt does not end the lease of a later one of the same holder', async () => {
      await at.store.plan(planOf([planned('a', 1, 'sending')]), leaseOf('one', 1, 30));
      await at.store.recover(recoveryBy('one', 31));
      await at.store.claim(endpointOf('a'), 1, leaseOf('one', 32));
      await at.store.recordOutcomes([succeeded(planned('a', 1), 33, 1)], 'one');
      expect(await at.statusOf(planned('a', 1).id)).toBe('sending');
    });

    it('one can cancel the other’s claim: its open attempt is unknown, and its holder changes nothing', async () => {
      await at.store.plan(planOf([planned('a', 1, 'sending'), planned('a', 2)]), leaseOf('one', 1));
      expect(await other.cancelUnfinished([planned('a', 1).id], 'lost', t(9))).toBe(1);
      const canceled = await other.get(planned('a', 1).id);
      expect(canceled).toMatchObject({
        status: 'canceled',
        reason: 'lost',
        finishedAt: t(9),
        dueAt: null,
        attempts: [{ number: 1, finishedAt: t(9), outcome: 'unknown' }],
      });
      await at.store.recordOutcomes([retried(planned('a', 1), 20)], 'one');
      await at.store.renew(leaseOf('one', 20));
      await at.store.release([planned('a', 1).id], leaseOf('one', 21), 'waiting');
      expect(await other.get(planned('a', 1).id)).toEqual(canceled);
      expect(await other.recover(recoveryBy('two', 100))).toBe(0);
      expect(await other.recoverLeftBy('one', t(100))).toBe(0);
      expect(await other.counts()).toEqual({
        waiting: 1,
        held: 0,
        sending: 0,
        succeeded: 0,
        failed: 0,
        canceled: 1,
      });
    });

    it('what one holds is not taken over while its lease is renewed, or while the lease of its claim lasts', async () => {
      await at.store.renew(leaseOf('one', 0, 30));
      await at.store.plan(planOf([planned('a', 1, 'sending')]), leaseOf('one', 15, 30));
      expect(await other.recover(recoveryBy('two', 44))).toBe(0);
      await at.store.renew(leaseOf('one', 20, 30));
      expect(await other.recover(recoveryBy('two', 49))).toBe(0);
      expect(await other.recover(recoveryBy('two', 50))).toBe(1);
    });

    it('a renewal that arrives late does not shorten a lease', async () => {
      await at.store.plan(planOf([planned('a', 1, 'sending')]), leaseOf('one', 1));
      await at.store.renew(leaseOf('one', 20));
      await at.store.renew(leaseOf('one', 10));
      expect(await other.recover(recoveryBy('two', 45))).toBe(0);
      expect(await other.recover(recoveryBy('two', 50))).toBe(1);
    });

    it('the lease of one keeps nothing that the other holds', async () => {
      await at.store.plan(planOf([planned('a', 1, 'sending')]), leaseOf('one', 1));
      await other.plan(planOf([planned('a', 2, 'sending')], 2), leaseOf('two', 1));
      await at.store.renew(leaseOf('one', 20));
      expect(
        await at.store.recover({ ...recoveryBy('one', 40), sending: [planned('a', 1).id] }),
      ).toBe(1);
      expect(await at.statusOf(planned('a', 1).id)).toBe('sending');
      expect(await at.statusOf(planned('a', 2).id)).toBe('waiting');
    });

    it('one recovers its own claim that it knows nothing of, once the lease of that claim has run out', async () => {
      await at.store.plan(planOf([planned('a', 1, 'sending')]), leaseOf('one', 1));
      await at.store.renew(leaseOf('one', 20));
      expect(await at.store.recover(recoveryBy('one', 30))).toBe(0);
      expect(await at.store.recover(recoveryBy('one', 31))).toBe(1);
    });
  });
};
