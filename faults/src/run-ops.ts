import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '@refledger/testing';

/** How a command of `ops` ended, and its output on both streams. */
export interface OpsResult {
  readonly code: number | null;
  readonly printed: string;
}

const ops = fileURLToPath(new URL('../../bundle/ops.js', import.meta.url));

/** Runs a command of the built `ops` with these settings. */
export const runOps = async (
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<OpsResult> => {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  const child = spawn(process.execPath, [...nodeFlags, ops, ...args], { env });
  let printed = '';
  const add = (chunk: string): void => void (printed += chunk);
  child.stdout.setEncoding('utf8').on('data', add);
  child.stderr.setEncoding('utf8').on('data', add);
  await once(child, 'close');
  return { code: child.exitCode, printed };
};
