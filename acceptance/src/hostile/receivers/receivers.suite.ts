/// <reference types="jest" />
import {
  comparesFigures,
  count,
  eventually,
  type Hook,
  type HookReceiver,
  type Service,
  type ServiceFactory,
  startHookReceiver,
  startTogether,
  TestAccount,
} from '@refledger/testing';
import { startHostileReceivers, type HostileReceivers } from './hostile-receivers.js';

/**
 * With these settings no delivery is retried while the suite runs, and a request that hangs does so
 * for 5 s.
 */
export const hostileReceiverSettings = {
  RATE_LIMIT_PER_MINUTE: '0',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'loopback',
  WEBHOOK_TIMEOUT: '5s',
  WEBHOOK_RETRY_SCHEDULE: '1h',
};

const mebibyte = 1024 * 1024;
/**
 * The latency that a noisy machine may add for no reason, in milliseconds. Without fairness the
 * latency is at least the timeout of the endpoints that hang.
 */
const noiseMs = 750;

export const hostileReceiversSuite = (
  service: ServiceFactory,
  residentBytes: (service: Service) => number | undefined,
): void => {
  describe('a healthy endpoint among 99 hostile ones', () => {
    let running: Service;
    let hostile: HostileReceivers;
    let healthy: HookReceiver;
    let account: TestAccount;
    beforeAll(async () => {
      running = await service();
      [hostile, healthy] = await startTogether(startHostileReceivers(), startHookReceiver());
      account = await TestAccount.open(running);
      await account.subscribe(healthy.url('/healthy'), ['affiliate.created']);
    });
    afterAll(() => Promise.all([hostile.close(), healthy.close()]));

    /**
     * Returns the latencies of so many events with a pause after each, since without it the test
     * would measure throughput and not fairness.
     */
    const latencies = async (events: number, apartMs = 100): Promise<number[]> => {
      const before = healthy.hooks('/healthy').length;
      for (let n = 1; n <= events; n++) {
        await account.affiliate();
        await healthy.waitFor('/healthy', before + n, 30_000);
        await new Promise((resolve) => setTimeout(resolve, apartMs));
      }
      return healthy.hooks('/healthy').slice(before).map(latency);
    };
    const attempts = async (): Promise<number> => {
      const text = await (await fetch(`${running.opsUrl}/metrics`)).text();
      return [...text.matchAll(/^refledger_webhook_attempts_total\{[^}]*\} (\d+)$/gm)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
    };

    it('is served as if it were alone; every attempt to the others ends in time, no redirect is followed, and memory is bounded', async () => {
      const earlier = await attempts();
      await latencies(10);
      const alone = p95(await latencies(30));
      const baseline = earlier + 40;
      await eventually(async () => expect(await attempts()).toBe(baseline));
      for (const url of hostile.urls(99)) await account.subscribe(url, ['affiliate.created']);
      const before = residentBytes(running);

      await latencies(1);
      // each of the hundred endpoints got an attempt, and no attempt is still in flight after its
      // deadline
      await eventually(async () => expect(await attempts()).toBe(baseline + 100), {
        timeoutMs: 60_000,
        intervalMs: 200,
      });

      const toleratedMs = Math.max(2 * alone, noiseMs);
      // noise from other work spoils one round, unfairness every round
      let among = Infinity;
      for (let round = 0; round < count(1, 3) && among >= toleratedMs; round++)
        among = Math.min(among, p95(await latencies(20, Math.max(250, 10 * alone))));
      const after = residentBytes(running);
      process.stdout.write(
        `      p95 from event to receiver: ${alone} ms alone, ${among} ms among 99 others\n`,
      );
      if (comparesFigures) expect(among).toBeLessThan(toleratedMs);
      expect(hostile.redirected()).toBe(0);
      if (comparesFigures && before !== undefined && after !== undefined)
        expect(after - before).toBeLessThan(200 * mebibyte);
      expect((await fetch(`${running.baseUrl}/health/ready`)).status).toBe(200);
    });
  });
};

const latency = ({ at, envelope }: Hook): number => at - Date.parse(envelope.timestamp);

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? NaN;
