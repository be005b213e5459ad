/// <reference types="jest" />
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  day,
  eventually,
  MovableClock,
  scaledTimeout,
  TestAccount,
  type Balance,
  type DistributedService,
  type Page,
} from '@refledger/testing';
import { jsonLines, withoutProgress, type OperatedService } from './ops-process.js';

/**
 * Tests how posting stops at an event from the future. Tests after it find that event in the log.
 */
export const clockAheadSuite = (operated: () => OperatedService<DistributedService>): void =>
  describe('a gateway whose clock is a year ahead', () => {
    let directory: string;
    beforeAll(() => {
      directory = mkdtempSync(join(tmpdir(), 'refledger-ahead-'));
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    const healthOfLedger = async (): Promise<string> => {
      const ledger = operated().service.roles.find(({ role }) => role === 'ledger');
      return (await fetch(`${ledger?.opsUrl}/health/ready`)).text();
    };
    const balancesOf = (account: TestAccount, affiliate: string) =>
      account.api.get<Page<Balance>>(`/v1/affiliates/${affiliate}/balances`);

    it(
      'stops posting, and nothing else; ops ignore-time lets it continue, at the right time',
      async () => {
        const { service: services, ops } = operated();
        const account = await TestAccount.open(services);
        const { id } = await account.affiliate();
        await account.adjustment(id, { amount: 1, currency: 'USD' });
        await eventually(async () =>
          expect((await balancesOf(account, id)).body.data).toMatchObject([{ entries: 1 }]),
        );

        const clock = new MovableClock(join(directory, 'clock'));
        clock.startAt(365 * day);
        const ahead = await services.startAnother('gateway', clock.env);
        const there = await account.atGateway(ahead);
        const future = await there.adjustment(id, { amount: 2, currency: 'USD' });
        await ahead.leave();
        expect(Date.parse(future.created_at)).toBeGreaterThan(Date.now() + 364 * day);

        await eventually(async () => expect(await healthOfLedger()).toContain('ops ignore-time'));
        const [position = ''] = /(?<=ops ignore-time )\d+/.exec(await healthOfLedger()) ?? [];
        const impatient = await account.atGateway(await services.impatient());
        const later = await impatient.adjustment(id, { amount: 3, currency: 'USD' });
        const sale = await impatient.conversion(id);
        expect((await impatient.api.get(`/v1/conversions/${sale.id}`)).status).toBe(200);
        expect((await balancesOf(impatient, id)).status).toBe(503);

        expect(await ops('ignore-time', position, '--yes')).toMatchObject({ code: 0 });
        await eventually(
          async () =>
            expect((await balancesOf(account, id)).body.data).toMatchObject([
              { entries: 3, adjusted: 6 },
            ]),
          { timeoutMs: 60_000 },
        );
        const posted = jsonLines(
          await ops('tail', '--json', '--account', account.id, '--type', 'balance.posted'),
        );
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
