import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStandalone, TestAccount, type Balance, type Page } from '@refledger/testing';
import { ops, withoutProgress } from './ops-process.js';

const amount = 765_432;

describe('verify --ledger', () => {
  let directory: string;
  let balance: Balance;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'refledger-ledger-'));
    const service = await startStandalone({ dataDir: join(directory, 'data') });
    const account = await TestAccount.open(service);
    const { id } = await account.affiliate();
    await account.adjustment(id, { amount: 1, currency: 'USD' });
    await account.adjustment(id, { amount, currency: 'USD' });
    const { body } = await account.api.get<Page<Balance>>(`/v1/affiliates/${id}/balances`);
    balance = body.data[0] as Balance;
    // closing writes everything to the main file of the log
    await service.stop();
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const verify = async (data: string, ...args: readonly string[]) =>
    withoutProgress(await ops(join(directory, data), 'verify', '--ledger', ...args));

  it('finds that balances equal the conversions, adjustments and payouts', async () => {
    expect(balance.entries).toBe(2);
    const ended = await verify('data');
    expect(ended).toMatchObject({ code: 0, err: '' });
    expect(ended.out).toMatch(
      /^1 balance with 2 entries, posted up to position \d+: matching the conversions, adjustments and payouts\n$/,
    );
  });

  it('finds one altered byte of an entry, and names the affiliate', async () => {
    cpSync(join(directory, 'data'), join(directory, 'copy'), { recursive: true });
    const file = join(directory, 'copy', 'events.db');
    const bytes = readFileSync(file);
    // the adjustment itself has the same amount: only its entry has a kind before it
    const beforeAmount = '"kind":"adjustment","amount":';
    const at = bytes.indexOf(`${beforeAmount}${amount}`);
    expect(at).toBeGreaterThan(0);
    bytes.write('8', at + beforeAmount.length);
    writeFileSync(file, bytes);

    const { code, out } = await verify('copy');
    expect(code).toBe(1);
    expect(out).toContain(`${balance.id} (${balance.affiliate_id}, USD) at position`);
    expect(out).toContain('its hash does not follow from the hash before it and its data');
    expect(out).toContain('its amount is 865432, but its source says 765432');
    expect((await verify('copy', '--show', '1')).out).toMatch(/^ {2}bal_.*\n {2}and \d+ more\n/);
  });

  it('takes no projections', async () => {
    expect(await ops(join(directory, 'data'), 'verify', 'affiliates', '--ledger')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--ledger verifies balances, not projections') as string,
    });
  });
});
