import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  day,
  eventually,
  MovableClock,
  scaledTimeout,
  startDistributedOverLogBus,
  TestAccount,
  type Balance,
  type DistributedService,
  type Page,
} from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';
import { jsonLines, OpsProcess, withoutProgress } from './ops-process.js';

describeWithServers(['MongoDB'], 'a gateway whose clock is a year ahead', (servers) => {
  let folder: string;
  let services: DistributedService;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'refledger-ahead-'));
    services = await startDistributedOverLogBus(servers);
  }, scaledTimeout(60_000));
  afterAll(async () => {
    await services.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ops = (...args: readonly string[]) => {
    const [EVENT_LOG_URL = '', READ_STORE_URL = ''] = services.engines.map(({ url }) => url);
    return new OpsProcess(folder, args, {
      EVENT_LOG_URL,
      READ_STORE_URL,
      EVENT_BUS_URL: 'log:',
    }).end();
  };
  const healthOfLedger = async (): Promise<string> => {
    const ledger = services.roles.find(({ role }) => role === 'ledger');
    return (await fetch(`${ledger?.opsUrl}/health/ready`)).text();
  };
  const balancesOf = (account: TestAccount, affiliate: string) =>
    account.api.get<Page<Balance>>(`/v1/affiliates/${affiliate}/balances`);

  it(
    'stops posting, and nothing else; ops discount-time lets it go on, at the right time',
    async () => {
      const account = await TestAccount.open(services);
      const { id } = await account.affiliate();
      await account.adjustment(id, { amount: 1, currency: 'USD' });
      await eventually(async () =>
        expect((await balancesOf(account, id)).body.data).toMatchObject([{ entries: 1 }]),
      );

      const clock = new MovableClock(join(folder, 'clock'));
      clock.moveTo(365 * day);
      const ahead = await services.another('gateway', clock.env);
      const there = await account.at(ahead);
      const future = await there.adjustment(id, { amount: 2, currency: 'USD' });
      await ahead.leave();
      expect(Date.parse(future.created_at)).toBeGreaterThan(Date.now() + 364 * day);

      await eventually(async () => expect(await healthOfLedger()).toContain('ops discount-time'));
      const [position = ''] = /(?<=ops discount-time )\d+/.exec(await healthOfLedger()) ?? [];
      const later = await account.adjustment(id, { amount: 3, currency: 'USD' });
      const sale = await account.conversion(id);
      expect((await account.api.get(`/v1/conversions/${sale.id}`)).status).toBe(200);
      expect((await balancesOf(account, id)).status).toBe(503);

      expect(await ops('discount-time', position)).toMatchObject({ code: 0 });
      await eventually(
        async () =>
          expect((await balancesOf(account, id)).body.data).toMatchObject([
            { entries: 3, adjusted: 6 },
          ]),
        { timeoutMs: 60_000 },
      );
      const posted = jsonLines(await ops('tail', '--json', '--type', 'balance.posted'));
      expect(posted.map(({ data }) => data['amount'])).toEqual([1, 2, 3]);
      // half a minute: the services' clocks are this machine's
      const latest = Date.parse(later.created_at) + 30_000;
      for (const { data } of posted)
        expect(Date.parse(String(data['posted_at']))).toBeLessThan(latest);
      expect(withoutProgress(await ops('verify', '--ledger'))).toMatchObject({ code: 0 });
    },
    scaledTimeout(180_000),
  );
});
