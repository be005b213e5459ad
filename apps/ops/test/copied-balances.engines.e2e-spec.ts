import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDirectory } from '@refledger/engines';
import {
  eventually,
  expectStatus,
  startStandalone,
  startTogether,
  TestAccount,
  type Balance,
  type Entry,
  type Page,
} from '@refledger/testing';
import { databaseUrl, describeWithServers, startEventStoreDb } from '@refledger/testing/servers';
import { OpsProcess, withoutProgress } from './ops-process.js';
import { startServices } from './services-over-log.js';

const settings = { RATE_LIMIT_PER_MINUTE: '0', BOOTSTRAP_API_KEY: randomBytes(24).toString('hex') };

describeWithServers(['MongoDB'], 'balances after ops copy', (available) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'refledger-copied-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it('continue where they were when the service was killed: no gap, and nothing posted twice', async () => {
    const source = await startStandalone({ dataDir, env: settings });
    const account = await TestAccount.open(source);
    const { id: program_id } = await account.program({
      terms: { type: 'percentage', rate_bps: 1_000 },
    });
    const { id } = await account.affiliate({ program_id });
    await earn(account, id, 40);
    await balanceOf(account, id);
    // posting is somewhere among the next 40, or has yet to reach them
    await earn(account, id, 40);
    await source.kill();

    const [log, mongodb] = await startTogether(startEventStoreDb(), available.start('MongoDB'));
    const target = {
      EVENT_LOG_URL: log.url,
      READ_STORE_URL: databaseUrl(mongodb.url, `copy-${randomUUID()}`),
      SECRETS_KEY: readFileSync(dataDirectory(dataDir).secretsKey, 'utf8').trim(),
    };
    try {
      expect(
        await new OpsProcess(dataDir, ['copy', '--from', dataDir], target).end(),
      ).toMatchObject({ code: 0 });
      const services = await startServices({ ...settings, ...target });
      try {
        const there = await account.atGateway(services);
        await earn(there, id, 20);
        const balance = await balanceOf(there, id);
        const entries = await there.all<Entry>('/v1/entries', { sort: 'position' });

        expect(balance).toMatchObject({ earned: 100 * 100, adjusted: 10 * 7, entries: 110 });
        expect(entries.map(({ number }) => number)).toEqual(
          Array.from({ length: 110 }, (_, index) => index + 1),
        );
        expect(new Set(entries.map(subjectOf)).size).toBe(110);
      } finally {
        await services.stop();
      }
      const { code, out } = withoutProgress(
        await new OpsProcess(dataDir, ['verify', '--ledger'], target).end(),
      );
      expect({ code, out }).toEqual({
        code: 0,
        out: expect.stringMatching(/^1 balance with 110 entries, .*: matching/) as string,
      });
    } finally {
      await Promise.all([log, mongodb].map((server) => server.stop()));
    }
  });
});

/** Makes approved sales that each earn 100, and a bonus of 7 for every tenth one. */
const earn = async (account: TestAccount, affiliate: string, sales: number): Promise<void> => {
  const sell = async (n: number): Promise<void> => {
    const sale = await account.conversion(affiliate, {
      sale_amount: 1_000,
      sale_currency: 'USD',
    });
    await account.update(sale, { status: 'approved' });
    if (n % 10 === 0) await account.adjustment(affiliate, { amount: 7, currency: 'USD' });
  };
  await Promise.all(Array.from({ length: sales }, (_, n) => sell(n)));
};

/** Returns the only balance of the affiliate, once it reflects everything. */
const balanceOf = async (account: TestAccount, affiliate: string): Promise<Balance> => {
  const read = () => account.api.get<Page<Balance>>(`/v1/affiliates/${affiliate}/balances`);
  await eventually(async () => expect((await read()).status).toBe(200), { timeoutMs: 60_000 });
  const [balance, ...others] = expectStatus(200, await read()).data;
  if (balance === undefined || others.length > 0) throw new Error('not one balance');
  return balance;
};

const subjectOf = ({ conversion_id, adjustment_id }: Entry): string =>
  conversion_id ?? adjustment_id ?? '';
