/// <reference types="jest" />
import type { KeyId } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { sales } from './fixtures.js';
import type { OpenStore } from './open-store.js';

export const keyUsesConformance = (open: OpenStore): void => {
  describe('uses of API keys', () => {
    const instantAt = (hour: string): string => `2026-01-31T${hour}:00:00.000Z`;
    const [one, two, unused] = ['key_1', 'key_2', 'key_3'] as const;

    it('are recorded per key, and only rise', async () => {
      const [writer, reader] = [await open(), await open('read')];
      await reader.recordKeyUses(
        new Map([
          [one, instantAt('09')],
          [two, instantAt('10')],
        ]),
      );
      await writer.recordKeyUses(
        new Map([
          [one, instantAt('11')],
          [two, instantAt('09')],
        ]),
      );
      for (const store of [writer, reader]) {
        await store.recordKeyUses(new Map());
        expect(await store.keyUses([one, two, unused])).toEqual(
          new Map([
            [one, instantAt('11')],
            [two, instantAt('10')],
          ]),
        );
        expect(await store.keyUses([two])).toEqual(new Map([[two, instantAt('10')]]));
        expect(await store.keyUses([])).toEqual(new Map());
      }
    });

    it('may be recorded by several processes at the same time', async () => {
      const stores = [await open(), await open('read'), await open('read')];
      const ids = Array.from({ length: 50 }, (_, n): KeyId => `key_${n}`);
      await Promise.all(
        stores.map((store, n) =>
          store.recordKeyUses(new Map(ids.map((id) => [id, instantAt(String(10 + n))]))),
        ),
      );
      expect(await present(stores[0]).keyUses(ids)).toEqual(
        new Map(ids.map((id) => [id, instantAt('12')])),
      );
    });

    it('outlive the builds', async () => {
      const store = await open();
      await store.recordKeyUses(new Map([[one, instantAt('09')]]));
      await store.dropBuild(await store.createBuild(sales, 'log-1', 'test'));
      expect((await store.keyUses([one])).get(one)).toBe(instantAt('09'));
    });
  });
};
