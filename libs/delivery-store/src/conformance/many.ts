/// <reference types="jest" />
import { present } from '@refledger/testing/present';
import {
  recoveryBy,
  endpointOf,
  leaseOf,
  planOf,
  planned,
  succeeded,
  t,
  unsubscribedAt,
  type StoreUnderTest,
} from './under-test.js';

/** Tests calls for more deliveries than an adapter may update in one request. */
export const many = (at: StoreUnderTest): void => {
  describe('many deliveries at once', () => {
    const all = Array.from({ length: 250 }, (_, n) => planned('a', n, 'sending'));
    const ids = all.map(({ id }) => id);
    const waiting = async (): Promise<number> =>
      (await Promise.all(ids.map((id) => at.statusOf(id)))).filter((one) => one === 'waiting')
        .length;
    // `one` holds them until second 31
    beforeEach(() => at.store.plan(planOf(all), leaseOf('one', 1)));

    it('are all kept while the lease of their holder is renewed', async () => {
      await at.store.renew(leaseOf('one', 20));
      expect(await at.store.recover(recoveryBy('two', 40))).toBe(0);
    });

    it('are all released', async () => {
      await at.store.release(ids, leaseOf('one', 3), 'waiting');
      expect(await waiting()).toBe(250);
    });

    it('all get their outcomes', async () => {
      await at.store.recordOutcomes(
        all.map((delivery) => succeeded(delivery)),
        'one',
      );
      expect(await at.store.recover(recoveryBy('two', 40))).toBe(0);
      expect(await waiting()).toBe(0);
    });

    it('are all recovered, and counted', async () => {
      expect(await at.store.recover(recoveryBy('two', 40))).toBe(250);
      expect(await waiting()).toBe(250);
    });

    it('are all recovered when their holder left them', async () => {
      expect(await at.store.recoverLeftBy('one', t(2))).toBe(250);
      expect(await waiting()).toBe(250);
    });

    it('are all recovered except those that the caller holds and is sending', async () => {
      const sending = ids.slice(0, 150);
      await at.store.renew(leaseOf('one', 20));
      expect(await at.store.recover({ ...recoveryBy('one', 40), sending })).toBe(100);
      expect(await waiting()).toBe(100);
      expect(await Promise.all(sending.map((id) => at.statusOf(id)))).toEqual(
        sending.map(() => 'sending'),
      );
    });

    it('are all claimed', async () => {
      await at.store.release(ids, leaseOf('one', 3), 'waiting');
      const claimed = await at.store.claim(endpointOf('a'), 250, leaseOf('two', 4));
      expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set(ids));
    });

    it('are all canceled, and counted, when their endpoint is unsubscribed', async () => {
      await at.store.release(ids, leaseOf('one', 3), 'waiting');
      expect(await at.store.cancel(endpointOf('a'), unsubscribedAt(250, 4))).toBe(250);
      expect(await waiting()).toBe(0);
    });

    it('are canceled below a position, and counted, and the others still wait', async () => {
      await at.store.release(ids, leaseOf('one', 3), 'waiting');
      expect(await at.store.cancel(endpointOf('a'), unsubscribedAt(120, 4))).toBe(120);
      expect(await at.store.counts(endpointOf('a'))).toMatchObject({ waiting: 130, canceled: 120 });
      expect(await at.statusOf(present(ids[119]))).toBe('canceled');
      expect(await at.statusOf(present(ids[120]))).toBe('waiting');
      expect(await at.store.cancel(endpointOf('a'), unsubscribedAt(120, 5))).toBe(0);
    });

    it('are all canceled, and counted, while they are being sent', async () => {
      expect(await at.store.cancelUnfinished(ids, 'lost', t(4))).toBe(250);
      expect(await at.store.recover(recoveryBy('two', 40))).toBe(0);
    });
  });
};
