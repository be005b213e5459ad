/// <reference types="jest" />
import { setTimeout as sleep } from 'node:timers/promises';
import { toInstant } from '@refledger/contracts';
import { endpointOf, type StoreUnderTest } from './under-test.js';

/** Tests the tokens that limit how many requests begin per second. */
export const rates = (at: StoreUnderTest): void => {
  describe('a rate', () => {
    const take = (perSecond: number, endpoint = 'a') =>
      at.store.takeTokens(endpointOf(endpoint), perSecond);

    it('gives the tokens of a fifth of a second at once, and then says when the next one comes', async () => {
      expect((await take(100)).taken).toBe(20);
      // one token takes a minute
      const first = await take(1 / 60, 'b');
      const second = await take(1 / 60, 'b');
      expect([first.taken, second.taken]).toEqual([1, 0]);
      expect(second.nextInMs).toBeGreaterThan(0);
      expect(second.nextInMs).toBeLessThanOrEqual(60_000);
    });

    it('is shared by all dispatchers, and each endpoint has its own', async () => {
      const other = await at.fixture.open();
      try {
        expect((await take(1 / 60)).taken).toBe(1);
        expect((await other.takeTokens(endpointOf('a'), 1 / 60)).taken).toBe(0);
        expect((await other.takeTokens(endpointOf('b'), 1 / 60)).taken).toBe(1);
      } finally {
        await other.close();
      }
    });

    it('never gives more than it has, however many ask at once', async () => {
      const began = performance.now();
      const all = await Promise.all(Array.from({ length: 20 }, () => take(50)));
      const total = all.reduce((sum, { taken }) => sum + taken, 0);
      const passedMs = performance.now() - began;
      expect(total).toBeGreaterThanOrEqual(10);
      expect(total).toBeLessThanOrEqual(10 + Math.ceil((passedMs * 50) / 1_000) + 1);
    });

    it('has a token again after the time that it stated', async () => {
      await take(10);
      for (;;) {
        const { taken, nextInMs } = await take(10);
        if (taken > 0) return;
        await sleep(nextInMs);
      }
    });

    it('can change, and is forgotten once it has not been used for as long as deliveries are kept', async () => {
      expect((await take(1 / 60)).taken).toBe(1);
      // missing tokens count for no more than the burst of the new rate
      expect((await take(1_000)).taken).toBeLessThanOrEqual(200);
      await take(1 / 60);
      expect((await take(1 / 60)).taken).toBe(0);
      await at.store.expire(toInstant(Date.now() + 3_600_000), 10);
      expect((await take(1 / 60)).taken).toBe(1);
    });
  });
};
