/// <reference types="jest" />
import { positionOf, changes, logId, sales } from './fixtures.js';
import type { OpenStore } from './open-store.js';

export const waitForPositionConformance = (open: OpenStore): void => {
  describe('waitForPosition', () => {
    const long = { timeoutMs: 60_000 };

    it('resolves immediately for a position already reached', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([changes(build, 10)]);
      await store.goLive(build);

      expect(await store.waitForPosition(sales, logId, positionOf(10), { timeoutMs: 0 })).toBe(
        true,
      );
      expect(await store.waitForPosition(sales, logId, positionOf(9), { timeoutMs: 0 })).toBe(true);
      expect(await store.waitForPosition(sales, logId, positionOf(11), { timeoutMs: 0 })).toBe(
        false,
      );
    });

    it('waits for saves and for a build to go live, whichever store makes them', async () => {
      const [writer, reader] = [await open(), await open()];
      const build = await writer.createBuild(sales, logId, 'first');
      const waits = [
        reader.waitForPosition(sales, logId, positionOf(1), long),
        reader.waitForPosition(sales, logId, positionOf(2), long),
        writer.waitForPosition(sales, logId, positionOf(3), long),
      ];
      let settled = 0;
      for (const wait of waits) void wait.then(() => settled++);

      await writer.save([changes(build, 2)]);
      await new Promise((resolve) => setImmediate(resolve));
      expect(settled).toBe(0);
      await writer.goLive(build);
      expect(await Promise.all(waits.slice(0, 2))).toEqual([true, true]);
      await writer.save([changes(build, 3)]);
      expect(await waits[2]).toBe(true);
    });

    it('gives up after its time limit, or when it is aborted', async () => {
      const store = await open();
      const stop = new AbortController();
      const stopped = store.waitForPosition(sales, logId, positionOf(1), {
        ...long,
        signal: stop.signal,
      });

      expect(await store.waitForPosition(sales, logId, positionOf(1), { timeoutMs: 5 })).toBe(
        false,
      );
      stop.abort();

      expect(await stopped).toBe(false);
      expect(
        await store.waitForPosition(sales, logId, positionOf(1), { ...long, signal: stop.signal }),
      ).toBe(false);
    });

    it('does not count what another log or an unreadable version has reached', async () => {
      const store = await open();
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([changes(build, 10)]);
      await store.goLive(build);

      expect(await store.waitForPosition(sales, 'log-2', positionOf(1), { timeoutMs: 5 })).toBe(
        false,
      );
      expect(
        await store.waitForPosition({ ...sales, version: 2 }, logId, positionOf(1), {
          timeoutMs: 5,
        }),
      ).toBe(false);
    });
  });
};
