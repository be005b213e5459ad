/// <reference types="jest" />
import type { Position } from '@refledger/contracts';
import type { FailingSeries } from '../health-store.js';
import {
  ended,
  endpointOf,
  leaseOf,
  planOf,
  planned,
  resultOf,
  retried,
  succeeded,
  t,
  type StoreUnderTest,
} from './under-test.js';

/** Tests what is kept of the health of endpoints. */
export const health = (at: StoreUnderTest): void => {
  const [a, b] = [endpointOf('a'), endpointOf('b')];
  const series: FailingSeries = {
    // a floating-point number cannot represent this position exactly
    from: '9007199254740993' as Position,
    since: t(5),
    failures: 1,
  };

  describe('health', () => {
    it('keeps one series per endpoint, until it ends', async () => {
      expect(await at.store.series(a)).toBeUndefined();
      await at.store.keepSeries(a, series);
      await at.store.keepSeries(b, { ...series, since: t(6) });
      await at.store.keepSeries(a, { ...series, failures: 2 });
      expect(await at.store.series(a)).toEqual({ ...series, failures: 2 });
      expect([...(await at.store.endpointsInSeries())].sort()).toEqual([a, b].sort());
      const reader = await at.fixture.read();
      for (const store of [at.store, reader])
        expect(await store.failingSince([a, endpointOf('c'), b])).toEqual(
          new Map([
            [a, t(5)],
            [b, t(6)],
          ]),
        );
      await at.store.endSeries(a);
      expect(await reader.failingSince([a])).toEqual(new Map());
      expect(await at.store.series(a)).toBeUndefined();
      expect(await at.store.endpointsInSeries()).toEqual([b]);
      await reader.close();
    });

    it('tells whether a delivery to the endpoint has succeeded since', async () => {
      const all = [planned('a', 1, 'sending'), planned('a', 2, 'sending')];
      await at.store.plan(planOf([...all, planned('b', 3, 'sending')]), leaseOf('one', 1));
      const failed = { status: 'failed', reason: 'given up' } as const;
      await at.store.recordOutcomes(
        [
          succeeded(planned('a', 1), 5),
          resultOf(planned('a', 2), ended(1, 9, 'bad_status', 500), failed, 1),
        ],
        'one',
      );
      expect(await at.store.succeededSince(a, t(4), t(5))).toBe(true);
      expect(await at.store.succeededSince(a, t(5), t(9))).toBe(false);
      expect(await at.store.succeededSince(b, t(1), t(9))).toBe(false);
      // the clock was ahead then
      expect(await at.store.succeededSince(a, t(1), t(4))).toBe(false);
    });

    it('holds what waits for a retry, and nothing that is due', async () => {
      const [retry, due, other] = [
        planned('a', 1, 'sending'),
        planned('a', 2),
        planned('b', 3, 'sending'),
      ];
      await at.store.plan(planOf([retry, due, other]), leaseOf('one', 1));
      await at.store.recordOutcomes([retried(retry, 60), retried(other, 60)], 'one');
      expect(await at.store.holdRetries(a, t(10))).toBe(1);
      expect(await at.statusOf(retry.id)).toBe('held');
      expect(await at.statusOf(due.id)).toBe('waiting');
      expect(await at.statusOf(other.id)).toBe('waiting');
      expect(await at.store.counts(a)).toMatchObject({ held: 1, waiting: 1 });
    });
  });
};
