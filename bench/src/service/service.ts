import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '@refledger/testing';
import { request } from 'undici';
import { Api, apiKey } from './api.js';

/**
 * Starts the built service on a directory, as `npm start` does, but without a rate limit and on
 * free ports. It prints to a file in the directory, so that reading the output costs the service
 * nothing.
 */
export const startService = async (directory: string): Promise<Service> => {
  const printed = join(directory, 'printed.txt');
  const file = openSync(printed, 'w');
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    HOST: '127.0.0.1',
    PORT: '0',
    OPS_PORT: '0',
    DATA_DIR: directory,
    BOOTSTRAP_API_KEY: apiKey,
    RATE_LIMIT_PER_MINUTE: '0',
  };
  const child = spawn(process.execPath, [...nodeFlags, entryPoint], {
    env,
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  const [baseUrl, opsUrl] = await addresses(child, printed).catch(async (error: unknown) => {
    await end(child, 'SIGKILL');
    throw error;
  });
  return new Service(baseUrl, opsUrl, child, printed);
};

/** A running service that is measured. */
export class Service extends Api {
  private isKilled = false;

  constructor(
    baseUrl: string,
    private readonly opsUrl: string,
    private readonly child: ChildProcess,
    private readonly printed: string,
  ) {
    super(baseUrl);
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the service has not been started');
    return this.child.pid;
  }

  /**
   * Resolves once every event processor has reached the end of the log. Rejects if one has stopped,
   * and after 15 minutes, which is longer than any build should take.
   */
  async caughtUp(): Promise<void> {
    for (
      const deadline = performance.now() + timeoutMs;
      performance.now() < deadline;
      await sleep(100)
    ) {
      const [ready, shown] = await Promise.all([
        request(`${this.opsUrl}/health/ready`),
        this.metrics(),
      ]);
      const health = await ready.body.text();
      if (/^refledger_processor_stopped\{.*\} 1$/m.test(shown))
        throw new Error(`a processor has stopped: ${health}`);
      const lags = [...shown.matchAll(/^refledger_processor_lag_positions\{.*\} (\d+)$/gm)].map(
        ([, lag]) => lag,
      );
      if (ready.statusCode === 200 && lags.length > 1 && lags.every((lag) => lag === '0')) return;
    }
    throw new Error(
      `the processors have not caught up after ${timeoutMs / 60_000} minutes: ${(await readFile(this.printed, 'utf8')).slice(-4_000)}`,
    );
  }

  /** How many requests to webhook endpoints it has recorded since it started. */
  async recordedAttempts(): Promise<number> {
    const shown = await this.metrics();
    return [...shown.matchAll(/^refledger_webhook_attempts_total\{.*\} (\d+)$/gm)].reduce(
      (sum, [, attempts]) => sum + Number(attempts),
      0,
    );
  }

  private async metrics(): Promise<string> {
    const { body } = await request(`${this.opsUrl}/metrics`);
    return body.text();
  }

  /** Kills the service. Nothing is left to close then. */
  async kill(): Promise<void> {
    this.isKilled = true;
    await end(this.child, 'SIGKILL');
  }

  /** Stops the service gracefully. Throws unless it ends with code 0. */
  async close(): Promise<void> {
    if (this.isKilled) return;
    const code = await end(this.child, 'SIGTERM');
    if (code !== 0)
      throw new Error(
        `the service exited with ${String(code)}: ${(await readFile(this.printed, 'utf8')).slice(-4_000)}`,
      );
  }
}

const entryPoint = fileURLToPath(new URL('../../../bundle/standalone.js', import.meta.url));

const timeoutMs = 60 * 60_000;

const addresses = async (
  child: ChildProcess,
  printed: string,
): Promise<readonly [string, string]> => {
  while (child.exitCode === null && child.signalCode === null) {
    const [, baseUrl, opsUrl] =
      /is ready at (http:\S+\d), health and metrics at (http:\S+\d)/.exec(
        await readFile(printed, 'utf8'),
      ) ?? [];
    if (baseUrl !== undefined && opsUrl !== undefined) return [baseUrl, opsUrl];
    await sleep(2);
  }
  throw new Error(`the service did not start: ${await readFile(printed, 'utf8')}`);
};

const end = async (child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
};
