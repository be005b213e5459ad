import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { suspend } from '../processes/suspend.js';
import { nodeFlags } from './node-flags.js';
import { guardProcess } from '../processes/process-guard.js';
import type { EndSignal } from '../service.js';
import { scaledTimeout } from '../wait.js';

export type ServiceRole =
  'standalone' | 'gateway' | 'projector' | 'ledger' | 'relay' | 'webhook-dispatcher';

const entryPointOf = (role: ServiceRole): string =>
  fileURLToPath(new URL(`../../../../bundle/${role}.js`, import.meta.url));

/** Where a service listens: for its API, if it has one, and for health and metrics, with OPS_PORT. */
export interface ServiceAddresses {
  readonly baseUrl: string | undefined;
  readonly opsUrl: string | undefined;
}

const apiAddressIn = (lines: string): string | undefined =>
  /is ready at (http:\S+\d).*\n/.exec(lines)?.[1];

const opsAddressIn = (lines: string): string | undefined =>
  /health and metrics at (http:\S+\d).*\n/.exec(lines)?.[1];

/** The options that make each thread of a process count the events that it appends. */
const counting = (file: string, options = ''): Readonly<Record<string, string>> => ({
  TEST_APPENDED_FILE: file,
  NODE_OPTIONS: `--require="${fileURLToPath(new URL('../../../../tools/jest/count-appended.cjs', import.meta.url))}" ${options}`,
});

/** One run of a built service as its own process, whether or not it starts successfully. */
export class ServiceProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<number | null>;
  private output = '';
  private lines = '';

  /**
   * The environment is exactly `settings`, plus PATH, HOME and what counts the events that the
   * service appends, so nothing leaks in from outside.
   * `through` is a command that starts the service, for limits or for another user; it must replace
   * itself with the service (`exec`).
   */
  constructor(
    role: ServiceRole,
    settings: Readonly<Record<string, string>>,
    through: readonly string[] = [],
  ) {
    const { PATH = '', HOME = '', TEST_APPENDED_FILE } = process.env;
    const env = {
      PATH,
      HOME,
      ...settings,
      ...(TEST_APPENDED_FILE && counting(TEST_APPENDED_FILE, settings['NODE_OPTIONS'])),
    };
    const [command = process.execPath, ...rest] = [
      ...through,
      process.execPath,
      ...nodeFlags,
      entryPointOf(role),
    ];
    this.child = spawn(command, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout
      ?.setEncoding('utf8')
      .on('data', (chunk: string) => ((this.lines += chunk), (this.output += chunk)));
    this.child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (this.output += chunk));
    const guard = guardProcess(this.child);
    this.ended = once(this.child, 'close').then(() => {
      guard.kill('SIGKILL');
      return this.child.exitCode;
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Everything that the process has printed, on both outputs. */
  get printed(): string {
    return this.output;
  }

  /** Resolves to the address that it serves, once it says on its standard output that it is ready. */
  address(): Promise<string> {
    return this.find('did not print its address', apiAddressIn);
  }

  /** Resolves to the address of its health and metrics, which it may serve before it is ready. */
  opsAddress(): Promise<string> {
    return this.find('did not print the address of its health and metrics', opsAddressIn);
  }

  /** Resolves once the process has said that it is ready, to the addresses that it has named. */
  async ready(): Promise<ServiceAddresses> {
    await this.find('did not say that it is ready', (lines) => /is ready.*\n/.exec(lines)?.[0]);
    return { baseUrl: apiAddressIn(this.lines), opsUrl: opsAddressIn(this.lines) };
  }

  private async find(
    otherwise: string,
    find: (lines: string) => string | undefined,
  ): Promise<string> {
    const deadline = performance.now() + scaledTimeout(60_000);
    let over = false;
    void this.ended.then(() => (over = true));
    while (performance.now() < deadline) {
      const found = find(this.lines);
      if (found !== undefined) return found;
      if (over) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(
      `the service ${over ? `ended with code ${this.child.exitCode}` : `${otherwise} in time`}; it printed:\n${this.output}`,
    );
  }

  /**
   * Resolves to the exit code (null after a signal that the process could not handle) once it has
   * ended.
   */
  exit(timeoutMs = scaledTimeout(15_000)): Promise<number | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () =>
          reject(
            new Error(
              `the service is still running after ${timeoutMs} ms; it printed:\n${this.output}`,
            ),
          ),
        timeoutMs,
      );
    });
    return Promise.race([this.ended, late]).finally(() => clearTimeout(timer));
  }

  signal(signal: NodeJS.Signals): void {
    if (signal === 'SIGSTOP') suspend(this.child);
    else this.child.kill(signal);
  }

  /**
   * Ends the process with a signal and resolves to its exit code. A process that does not end in
   * time is killed, and that is an error.
   */
  async end(signal: EndSignal): Promise<number | null> {
    this.child.kill(signal);
    return this.exit().catch((error: unknown) => {
      this.child.kill('SIGKILL');
      throw error;
    });
  }
}
