/// <reference types="jest" />
import type { OpenStore } from './open-store.js';

export const leasesConformance = (open: OpenStore): void => {
  describe('leases', () => {
    const lease = (holder: string, forMs = 60_000) => ({ name: 'projector', holder, forMs });

    it('are acquired, renewed and released', async () => {
      const store = await open();
      expect(await store.holdLease(lease('one'))).toBe(true);
      expect(await store.holdLease(lease('one'))).toBe(true);
      await store.releaseLease(lease('one'));
      expect(await store.holdLease(lease('two'))).toBe(true);
    });

    it('have one holder at a time, if several processes can share the store', async () => {
      const [one, two] = [await open(), await open()];
      const taken = await Promise.all([one.holdLease(lease('one')), two.holdLease(lease('two'))]);
      expect(taken.filter((isHeld) => isHeld)).toHaveLength(one.capabilities.leases ? 1 : 2);
      if (!one.capabilities.leases) return;

      const [holder, other] = taken[0] ? ['one', 'two'] : ['two', 'one'];
      await one.releaseLease(lease(other));
      expect(await one.holdLease(lease(other))).toBe(false);
      expect(await two.holdLease({ ...lease(other), name: 'another' })).toBe(true);
      expect(await two.holdLease(lease(holder, 1))).toBe(true);
      while (!(await one.holdLease(lease(other))))
        await new Promise((resolve) => setImmediate(resolve));
      expect(await two.holdLease(lease(holder))).toBe(false);
    });

    it('are not held for as long as a clock was ahead when they were acquired', async () => {
      const store = await open();
      const days = 40 * 24 * 60 * 60_000;
      expect(await store.holdLease(lease('ahead', days))).toBe(true);
      expect(await store.holdLease(lease('other'))).toBe(true);
      expect(await store.holdLease(lease('ahead'))).toBe(!store.capabilities.leases);
    });
  });
};
