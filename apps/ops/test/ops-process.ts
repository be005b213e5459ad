import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Service } from '@refledger/testing';
import { runInProcess, type ProcessResult } from './run-in-process.js';

export type { ProcessResult } from './run-in-process.js';

/** A service and the command line beside it. */
export interface OperatedService<S extends Service = Service> {
  readonly service: S;
  readonly ops: (...args: readonly string[]) => Promise<ProcessResult>;
}

const entryPoint = fileURLToPath(new URL('../../../bundle/ops.js', import.meta.url));

/** One run of the built command line in a process of its own. */
export class OpsProcess {
  out = '';
  err = '';
  readonly child: ChildProcess;
  private readonly ended: Promise<ProcessResult>;

  /**
   * Passes `dataDir` in the environment, and as the directory for temporary files. The process
   * inherits only PATH.
   */
  constructor(
    dataDir: string,
    args: readonly string[],
    settings: Readonly<Record<string, string>> = {},
  ) {
    this.child = spawn(process.execPath, [entryPoint, ...args], {
      env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, TMPDIR: dataDir, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (this.out += chunk));
    this.child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (this.err += chunk));
    this.ended = once(this.child, 'close').then(() => ({
      code: this.child.exitCode,
      out: this.out,
      err: this.err,
    }));
  }

  end(signal?: NodeJS.Signals): Promise<ProcessResult> {
    if (signal !== undefined) this.child.kill(signal);
    return this.ended;
  }
}

/** Runs a command on a directory, in this process. */
export const ops = (dataDir: string, ...args: readonly string[]): Promise<ProcessResult> =>
  runInProcess(args, { env: { DATA_DIR: dataDir } });

/** The lines of JSON that a command printed. */
export const jsonLines = ({
  out,
}: Pick<ProcessResult, 'out'>): {
  position: string;
  id: string;
  type: string;
  data: Record<string, unknown>;
}[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ReturnType<typeof jsonLines>[number]);

/** The result without progress lines, which only a slow machine prints. */
export const withoutProgress = (ended: ProcessResult): ProcessResult => ({
  ...ended,
  err: ended.err.replaceAll(/^\w+: position \d+ of \d+\n/gm, ''),
});
