import { randomUUID } from 'node:crypto';
import { itInFull, eventually, scaledTimeout } from '@refledger/testing';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import { positionOf, changes, logId, madeFrom, sales, stored } from '../conformance/fixtures.js';
import type { Build, ReadStore } from '../read-store.js';
import { openMongodbReadStore } from './mongodb-read-store.js';

describeOnServer(
  'MongoDB',
  'under the read store',
  (server) => {
    let store: ReadStore;
    let build: Build;
    beforeEach(async () => {
      const url = databaseUrl(server().url, `refledger-${randomUUID()}`, {
        socketTimeoutMS: String(scaledTimeout(1_500)),
        serverSelectionTimeoutMS: String(scaledTimeout(1_500)),
      });
      store = await openMongodbReadStore({ url, mode: 'write' });
      build = await store.createBuild(sales, logId, 'first');
    });
    afterEach(() => store.close());

    /**
     * Saves one document at a time and retries until it is acknowledged, as a projector does.
     * `acknowledged` is the number of the last one.
     */
    const startSaving = () => {
      const saving = { acknowledged: 0, refused: new Set<string>(), stopped: false };
      const run = async (): Promise<void> => {
        for (let n = 1; !saving.stopped; n++) {
          await eventually(
            () =>
              store
                .save([
                  changes(
                    build,
                    n,
                    n > 50 ? madeFrom(n - 50, stored(`s${n % 50}`, n)) : stored(`s${n % 50}`, n),
                  ),
                ])
                .catch((error: unknown) => {
                  saving.refused.add(
                    error instanceof Error && 'kind' in error ? String(error.kind) : String(error),
                  );
                  throw error;
                }),
            { timeoutMs: 60_000 },
          );
          saving.acknowledged = n;
        }
      };
      const ended = run();
      return {
        saving,
        waitUntilCount: (n: number) =>
          eventually(() => expect(saving.acknowledged).toBeGreaterThanOrEqual(n), {
            timeoutMs: 60_000,
          }),
        stop: async () => ((saving.stopped = true), await ended),
      };
    };
    const expectAllStored = async (acknowledged: number): Promise<void> => {
      const [now] = await store.builds('sales');
      expect(Number(now?.checkpoint?.position)).toBeGreaterThanOrEqual(acknowledged);
      const positions = new Map(
        (
          await store.load(
            build,
            'sales',
            Array.from({ length: 50 }, (_, i) => `s${i}`),
          )
        ).map(({ id, position }) => [id, Number(position)]),
      );
      for (let n = Math.max(1, acknowledged - 49); n <= acknowledged; n++)
        expect(positions.get(`s${n % 50}`)).toBeGreaterThanOrEqual(n);
    };

    it('killed and restarted: all acknowledged writes are stored, and it recovers by itself', async () => {
      const writer = startSaving();
      for (const action of ['kill', 'kill', 'restart'] as const) {
        await writer.waitUntilCount(writer.saving.acknowledged + 20);
        await server()[action]();
        const acknowledged = writer.saving.acknowledged;
        if (action === 'kill') await server().start();
        await eventually(() => expectAllStored(acknowledged), { timeoutMs: 30_000 });
      }
      await writer.waitUntilCount(writer.saving.acknowledged + 20);
      await writer.stop();
      await expectAllStored(writer.saving.acknowledged);
      expect([...writer.saving.refused].filter((kind) => kind !== 'unavailable')).toEqual([]);
    });

    itInFull(
      'suspended: reads and writes fail as unavailable within their time limit, and work again once it resumes',
      async () => {
        await store.save([changes(build, 1, stored('a', 1))]);
        await store.goLive(build);
        server().pause();
        try {
          const results = await Promise.allSettled([
            store.get(sales, logId, 'sales', 'a'),
            store.save([changes(build, 2, stored('b', 2))]),
            store.waitForPosition(sales, logId, positionOf(2), { timeoutMs: 60_000 }),
          ]);
          for (const result of results)
            expect(result).toMatchObject({
              status: 'rejected',
              reason: { name: 'ReadStoreError', kind: 'unavailable' },
            });
        } finally {
          server().resume();
        }
        await eventually(() => store.save([changes(build, 2, stored('b', 2))]), {
          timeoutMs: 30_000,
        });
        expect(
          await store.waitForPosition(sales, logId, positionOf(2), { timeoutMs: 30_000 }),
        ).toBe(true);
        // A write sent while the server hung may be executed now, and changes nothing.
        expect(await store.load(build, 'sales', ['b'])).toEqual([stored('b', 2)]);
      },
    );

    it('absent: open and new stores are unavailable until it is back', async () => {
      await server().kill();
      try {
        await expect(store.builds('sales')).rejects.toMatchObject({
          name: 'ReadStoreError',
          kind: 'unavailable',
        });
        await expect(
          store.holdLease({ name: 'projector', holder: 'one', forMs: 1_000 }),
        ).rejects.toMatchObject({ kind: 'unavailable' });
        await expect(
          openMongodbReadStore({
            url: databaseUrl(server().url, 'any', { serverSelectionTimeoutMS: '500' }),
            mode: 'write',
          }),
        ).rejects.toMatchObject({ name: 'ReadStoreError', kind: 'unavailable' });
      } finally {
        await server().start();
      }
      await eventually(
        async () => expect(await store.builds('sales')).toMatchObject([{ id: build.id }]),
        { timeoutMs: 30_000 },
      );
    });
  },
  { isDestructive: true },
);
