import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '@refledger/testing';

/** The subjects that `ops verify` can check besides read models. */
export type Verifiable = 'ledger' | 'webhooks';

/** Everything that `ops verify` can check. */
export const allVerifiable = ['read models', 'ledger', 'webhooks'] as const;

/** Its output. */
export interface Verification {
  readonly code: number | null;
  readonly printed: string;
}

const ops = fileURLToPath(new URL('../../bundle/ops.js', import.meta.url));

/** Runs the built `ops verify` with these settings. */
export const verify = async (
  what: (typeof allVerifiable)[number],
  settings: Readonly<Record<string, string>>,
): Promise<Verification> => {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  const args = what === 'read models' ? ['verify'] : ['verify', `--${what}`];
  const child = spawn(process.execPath, [...nodeFlags, ops, ...args], { env });
  let printed = '';
  const add = (chunk: string): void => void (printed += chunk);
  child.stdout.setEncoding('utf8').on('data', add);
  child.stderr.setEncoding('utf8').on('data', add);
  await once(child, 'close');
  return { code: child.exitCode, printed };
};
