import { newMetrics } from '@refledger/platform';
import type { Caller } from '@refledger/queries';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { PositionWaits } from './position-waits.js';

describe('reads that wait for a position', () => {
  const limits = { total: 4, perAccount: 3, perKey: 2 };
  const caller = (account: string, key: string): Caller => ({
    accountId: `acct_${account}`,
    keyId: `key_${key}`,
    scope: 'read',
  });
  const setUp = () => {
    const metrics = newMetrics();
    const work = new ConcurrencyLimit(metrics, { maxInProgress: 10, heldBack: 0, holdMs: 0 });
    const waits = new PositionWaits({ work, metrics, limits });
    const ends: (() => void)[] = [];
    const wait = (who: Caller): Promise<void> =>
      work.run({ method: 'GET' } as never, () =>
        waits.run(who, () => new Promise((resolve) => ends.push(resolve))),
      );
    return { metrics, waits, wait, ends };
  };

  it('do not count as in flight while they wait', async () => {
    const { metrics, wait, ends } = setUp();
    const waiting = wait(caller('a', '1'));
    expect([metrics.requestsInFlight.read, metrics.readsWaiting.count]).toEqual([0, 1]);
    ends.forEach((end) => end());
    await waiting;
    expect([metrics.requestsInFlight.read, metrics.readsWaiting.count]).toEqual([0, 0]);
  });

  it.each([
    ['of one key', ['a1', 'a1'], 'a1', 'a2'],
    ['of one account', ['a1', 'a1', 'a2'], 'a3', 'b1'],
    ['in total', ['a1', 'b1', 'c1', 'd1'], 'e1', undefined],
  ] as const)(
    'are rejected immediately beyond the limit %s, and accepted again when others finish',
    async (_what, before, one, other) => {
      const { metrics, wait, ends } = setUp();
      const who = ([account = '', key = '']: string): Caller => caller(account, `${account}${key}`);
      const waiting = before.map((each) => wait(who(each)));
      await expect(wait(who(one))).rejects.toMatchObject({ code: 'read_model_behind' });
      expect(
        await metrics.registry.getSingleMetricAsString('refledger_http_requests_rejected_total'),
      ).toContain('{kind="wait"} 1');
      if (other !== undefined) waiting.push(wait(who(other)));
      ends.forEach((end) => end());
      await Promise.all(waiting);
      const again = wait(who(one));
      ends.at(-1)?.();
      await again;
    },
  );

  it('end when the service ends, and none starts after that', async () => {
    const { metrics, waits, wait } = setUp();
    const waiting = wait(caller('a', '1'));
    waits.end();
    for (const ended of [waiting, wait(caller('a', '1'))])
      await expect(ended).rejects.toMatchObject({
        code: 'read_model_behind',
        message: 'The service is shutting down. Retry later.',
      });
    expect([metrics.requestsInFlight.read, metrics.readsWaiting.count]).toEqual([0, 0]);
  });

  it('free their slot when the wait fails', async () => {
    const { metrics } = setUp();
    const waits = new PositionWaits({
      work: new ConcurrencyLimit(metrics),
      metrics,
      limits: { total: 1, perAccount: 1, perKey: 1 },
    });
    for (let n = 0; n < 2; n++) {
      await expect(
        waits.run(caller('a', '1'), () => Promise.reject(new Error('away'))),
      ).rejects.toThrow('away');
    }
  });
});
