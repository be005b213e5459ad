/// <reference types="jest" />
import { startHookReceiver, type Hook, type HookReceiver } from '../hook-receiver.js';
import type { Service, ServiceFactory } from '../service.js';
import { startTogether } from '../start-together.js';
import { TestAccount } from '../test-account.js';
import { eventually } from '../wait.js';
import { startHostileReceivers, type HostileReceivers } from './hostile-receivers.js';

/** Nothing is tried again while the suite runs; what hangs does so for 5 s. */
export const hostileReceiverSettings = {
  RATE_LIMIT_PER_MINUTE: '0',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'loopback',
  WEBHOOK_TIMEOUT: '5s',
  WEBHOOK_RETRY_SCHEDULE: '1h',
};

const mebibyte = 1024 * 1024;
/** What a noisy machine may take for nothing; without fairness it is the time-out of those that hang, and more. */
const noiseMs = 750;

export const hostileReceiversSuite = (
  service: ServiceFactory,
  residentBytes: (service: Service) => number | undefined,
): void => {
  describe('a healthy endpoint among 99 that do the worst', () => {
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

    /** The latencies of so many events, some time apart: how much can be sent in all would be measured else, and not fairness. */
    const latencies = async (count: number, apartMs = 100): Promise<number[]> => {
      const before = healthy.hooks('/healthy').length;
      for (let n = 1; n <= count; n++) {
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

    it('is served as if it were alone; every attempt at the others ends in time, no redirect is followed, and memory is bounded', async () => {
      await latencies(10);
      const alone = p95(await latencies(30));
      const madeAlone = await attempts();
      for (const url of hostile.urls(99)) await account.subscribe(url, ['affiliate.created']);
      const before = residentBytes(running);

      await latencies(1);
      // each of the hundred was tried, and none is still under way after its deadline
      await eventually(async () => expect(await attempts()).toBe(madeAlone + 100), {
        timeoutMs: 15_000,
        intervalMs: 200,
      });

      const bearable = Math.max(2 * alone, noiseMs);
      // a neighbour's noise spoils one round, unfairness all
      let among = Infinity;
      for (let round = 0; round < 3 && among >= bearable; round++)
        among = Math.min(among, p95(await latencies(20, Math.max(250, 10 * alone))));
      const after = residentBytes(running);
      process.stdout.write(
        `      p95 from event to receiver: ${alone} ms alone, ${among} ms among 99 others\n`,
      );
      expect(among).toBeLessThan(bearable);
      expect(hostile.redirected()).toBe(0);
      if (before !== undefined && after !== undefined)
        expect(after - before).toBeLessThan(200 * mebibyte);
      expect((await fetch(`${running.baseUrl}/health/ready`)).status).toBe(200);
    });
  });
};

const latency = ({ at, envelope }: Hook): number => at - Date.parse(envelope.timestamp);

const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? NaN;
