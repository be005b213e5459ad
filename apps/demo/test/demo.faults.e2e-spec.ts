import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let temporary: string;
beforeEach(() => void (temporary = mkdtempSync(join(tmpdir(), 'demo-test-'))));
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

/**
 * Starts the built demonstration without a terminal. Its directory is made inside a temporary
 * directory of the test, which shows whether anything is left behind.
 */
const start = (...options: string[]) => {
  const child = spawn(process.execPath, [join(__dirname, '../dist/main.js'), ...options], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, printed }));
  return { child, ended };
};

const ledgerLine = (label: string) => new RegExp(`^ ${label} +(\\S+) +\\1 +\\1 +\\1 +✓ $`, 'm');

it('ends with a ledger in which sent, stored, counted and delivered orders agree', async () => {
  const { code, printed } = await start().ended;
  expect(printed).toContain('Everything agrees.');
  for (const label of [
    'orders',
    'pending',
    'approved',
    'rejected',
    'refunded',
    'USD sales',
    'USD earned',
    'USD paid',
    'EUR sales',
    'EUR earned',
    'EUR paid',
    'JPY sales',
    'JPY earned',
    'JPY paid',
  ])
    expect(printed).toMatch(ledgerLine(label));
  expect(printed).toMatch(/^ USD earned +\$[1-9]/m);
  expect(printed).toMatch(/^ USD paid +\$[1-9]/m);
  expect(printed).toMatch(/^20:00 {2}the payout run is finished: 5 payouts, €.*, ¥.*, \$.*$/m);
  expect(printed).toMatch(/^20:00 {2}payout Ada Okafor, \$.*: paid$/m);
  expect(printed).toContain('payout Ada Okafor: webhook with a valid signature');
  expect(printed).toMatch(/order-\d+ .*, -[$€¥].*: 200 part refunded/);
  expect(printed).toMatch(/^✓ balances match what affiliates have earned +EUR, JPY, USD$/m);
  expect(printed).not.toContain('✗');
  expect(code).toBe(0);
  expect(printed).toMatch(/order-1001 .*: 201 stored/);
  expect(printed).toMatch(/422 suspended/);
  expect(printed).toMatch(/kill -9[^]*the service is back/);
  expect(printed).not.toContain('\x1b');
  expect(readdirSync(temporary)).toEqual([]);
});

it('notices one altered webhook, and exits with 1', async () => {
  const { code, printed } = await start('--tamper').ended;
  expect(printed).toMatch(/^✗ signatures verified +(\d+) of \d+$/m);
  expect(printed).toContain('The ledger does NOT agree.');
  expect(code).toBe(1);
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  'leaves no process and no directory behind when %s interrupts it',
  async (signal) => {
    const { child, ended } = start('--seconds', '600');
    let shown = '';
    await new Promise<void>((resolve) =>
      child.stdout.on('data', (text: string) => /order-\d+/.test((shown += text)) && resolve()),
    );
    const [directory = ''] = readdirSync(temporary);
    expect(existsSync(join(temporary, directory, 'events.db'))).toBe(true);
    child.kill(signal);
    child.kill(signal);
    const { code, printed } = await ended;
    expect(printed).toContain('Stopped. All temporary files have been removed.');
    expect(code).toBe(130);
    expect(readdirSync(temporary)).toEqual([]);
  },
);
