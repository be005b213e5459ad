/// <reference types="jest" />
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Balance, type Page, type ServiceFactory, TestAccount } from '@refledger/testing';

/** Checks the hash chain of a balance as docs/ledger.md tells an auditor to. */
export const ledgerCheckSuite = (service: ServiceFactory): void => {
  describe('the check of docs/ledger.md', () => {
    let directory: string;
    let account: TestAccount;
    let balance: Balance;
    let kept: string[];
    let lines: readonly string[];
    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), 'refledger-ledger-'));
      writeFileSync(join(directory, 'check-ledger.mjs'), script());
      account = await TestAccount.open(await service());
      const affiliate = await account.affiliate();
      kept = [];
      for (const amount of [500, -20, 1_000]) {
        const { currency } = await account.adjustment(affiliate.id, { amount, currency: 'USD' });
        const { body } = await account.api.get<Page<Balance>>(
          `/v1/affiliates/${affiliate.id}/balances`,
        );
        balance = body.data.find((one) => one.currency === currency) as Balance;
        kept.push(balance.chain);
      }
      const { text } = await account.api.get(`/v1/balances/${balance.id}/ledger`);
      lines = text.trim().split('\n');
    });
    afterAll(() => rmSync(directory, { recursive: true }));

    /** Runs the documented script over these lines. Returns what it prints. */
    const check = async (file: readonly string[], heads = kept): Promise<string> => {
      const path = join(directory, 'ledger.ndjson');
      writeFileSync(path, `${file.join('\n')}\n`);
      const script = join(directory, 'check-ledger.mjs');
      return (await promisify(execFile)('node', [script, path, balance.id, ...heads])).stdout;
    };
    const changed = (index: number, change: (line: string) => string): readonly string[] =>
      lines.map((line, at) => (at === index ? change(line) : line));

    it('finds every head that was kept, and the sum of the entries', async () => {
      expect(await check(lines)).toBe(`3 lines, 1480 minor units in all, chain ${balance.chain}\n`);
    });

    it('finds one changed digit', async () => {
      const other = changed(1, (line) => line.replace('"amount":-20', '"amount":-21'));
      await expect(check(other)).rejects.toThrow('the chain breaks at line 2');
    });

    it('finds a missing line', async () => {
      await expect(check(lines.filter((_, index) => index !== 1))).rejects.toThrow(
        'the chain breaks at line 2',
      );
    });

    it('finds that the last line is missing', async () => {
      await expect(check(lines.filter((_, index) => index !== 2))).rejects.toThrow(
        'the end does not match the lines',
      );
    });

    it('finds that a head that was kept no longer occurs', async () => {
      const head = '0'.repeat(64);
      await expect(check(lines, [...kept, head])).rejects.toThrow(
        `${head} does not occur in the chain`,
      );
    });
  });
};

const script = (): string => {
  const document = readFileSync(join(__dirname, '../../../../docs/ledger.md'), 'utf8');
  const [, code] = /<!-- check-ledger\.mjs -->\n```js\n([^]*?)```/.exec(document) ?? [];
  if (code === undefined) throw new Error('docs/ledger.md has no script check-ledger.mjs');
  return code;
};
