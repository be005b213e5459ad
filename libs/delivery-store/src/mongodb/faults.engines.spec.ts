import { randomUUID } from 'node:crypto';
import { itInFull, eventually, scaledTimeout } from '@refledger/testing';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import {
  recoveryBy,
  endpointOf,
  leaseOf,
  planned,
  planOf,
  succeeded,
} from '../conformance/under-test.js';
import type { DeliveryStore } from '../delivery-store.js';
import { openMongodbDeliveryStore } from './mongodb-delivery-store.js';

describeOnServer(
  'MongoDB',
  'under the delivery store',
  (server) => {
    let store: DeliveryStore;
    beforeEach(async () => {
      store = await openMongodbDeliveryStore({
        url: databaseUrl(server().url, `refledger-${randomUUID()}`, {
          socketTimeoutMS: String(scaledTimeout(1_500)),
          serverSelectionTimeoutMS: String(scaledTimeout(1_500)),
        }),
      });
    });
    afterEach(() => store.close());

    /**
     * Plans batch after batch and records the outcomes of what it may send, retrying each call
     * until it is acknowledged.
     */
    const startWorking = () => {
      const working = {
        plannedUpTo: 0,
        finished: new Set<number>(),
        refused: new Set<string>(),
        stopped: false,
      };
      const insist = <T>(work: () => Promise<T>): Promise<T> =>
        eventually(
          () =>
            work().catch((error: unknown) => {
              working.refused.add(
                error instanceof Error && 'kind' in error ? String(error.kind) : String(error),
              );
              throw error;
            }),
          { timeoutMs: 60_000 },
        );
      const run = async (): Promise<void> => {
        for (let n = 1; !working.stopped; n++) {
          const delivery = planned('a', n, n % 2 === 0 ? 'sending' : 'waiting');
          const inserted = await insist(() => store.plan(planOf([delivery], n), leaseOf('one', 1)));
          working.plannedUpTo = n;
          if (n % 2 !== 0 || !inserted.includes(delivery.id)) continue;
          await insist(() => store.recordOutcomes([succeeded(delivery)], 'one'));
          working.finished.add(n);
        }
      };
      const ended = run();
      return {
        working,
        waitUntilCount: (n: number) =>
          eventually(() => expect(working.plannedUpTo).toBeGreaterThanOrEqual(n), {
            timeoutMs: 60_000,
          }),
        stop: async () => ((working.stopped = true), await ended),
      };
    };
    const expectAllStored = async (
      plannedUpTo: number,
      finished: readonly number[],
    ): Promise<void> => {
      expect(Number((await store.offset('log'))?.offset)).toBeGreaterThanOrEqual(plannedUpTo);
      expect(Number(await store.floor())).toBeGreaterThanOrEqual(plannedUpTo);
      for (let n = 1; n <= plannedUpTo; n++)
        expect([n, (await store.get(planned('a', n).id))?.status]).toEqual([
          n,
          finished.includes(n)
            ? 'succeeded'
            : (expect.stringMatching(n % 2 === 0 ? /sending|succeeded/ : /waiting/) as string),
        ]);
    };

    it('killed and restarted: all acknowledged writes are stored, and the rest is claimed again', async () => {
      const worker = startWorking();
      for (const action of ['kill', 'kill', 'restart'] as const) {
        await worker.waitUntilCount(worker.working.plannedUpTo + 20);
        await server()[action]();
        const [plannedUpTo, finished] = [worker.working.plannedUpTo, [...worker.working.finished]];
        if (action === 'kill') await server().start();
        await eventually(() => expectAllStored(plannedUpTo, finished), { timeoutMs: 30_000 });
      }
      await worker.waitUntilCount(worker.working.plannedUpTo + 20);
      await worker.stop();
      expect([...worker.working.refused].filter((kind) => kind !== 'unavailable')).toEqual([]);

      // deliveries that a cut left sending are due again once their lease has run out
      await store.recover(recoveryBy('two', 60));
      const { waiting, succeeded: done, sending } = await store.counts();
      expect([waiting + done, sending]).toEqual([worker.working.plannedUpTo, 0]);
      expect(await store.claim(endpointOf('a'), 1_000, leaseOf('two', 60))).toHaveLength(waiting);
    });

    itInFull(
      'suspended: calls fail as unavailable within their time limit, and work again once it resumes',
      async () => {
        await store.plan(planOf([planned('a', 1), planned('a', 2, 'sending')]), leaseOf('one', 1));
        server().pause();
        try {
          const results = await Promise.allSettled([
            store.claim(endpointOf('a'), 1, leaseOf('one', 2)),
            store.recordOutcomes([succeeded(planned('a', 2))], 'one'),
            store.plan(planOf([planned('a', 3)], 3), leaseOf('one', 2)),
            store.counts(),
          ]);
          for (const result of results)
            expect(result).toMatchObject({
              status: 'rejected',
              reason: { name: 'DeliveryStoreError', kind: 'unavailable' },
            });
        } finally {
          server().resume();
        }
        await eventually(() => store.recordOutcomes([succeeded(planned('a', 2))], 'one'), {
          timeoutMs: 30_000,
        });
        await eventually(() => store.plan(planOf([planned('a', 3)], 3), leaseOf('one', 3)), {
          timeoutMs: 30_000,
        });
        expect((await store.get(planned('a', 2).id))?.status).toBe('succeeded');
        // the server may now execute calls sent while it was suspended; none of them may duplicate
        // a delivery
        const { waiting, sending, succeeded: done } = await store.counts();
        expect(waiting + sending + done).toBe(3);
      },
    );

    it('absent: open and new stores are unavailable until it is back', async () => {
      await server().kill();
      try {
        await expect(store.offsets()).rejects.toMatchObject({
          name: 'DeliveryStoreError',
          kind: 'unavailable',
        });
        await expect(
          openMongodbDeliveryStore({
            url: databaseUrl(server().url, 'any', { serverSelectionTimeoutMS: '500' }),
          }),
        ).rejects.toMatchObject({ name: 'DeliveryStoreError', kind: 'unavailable' });
      } finally {
        await server().start();
      }
      await eventually(async () => expect(await store.offsets()).toEqual([]), {
        timeoutMs: 30_000,
      });
    });
  },
  { isDestructive: true },
);
