import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const built = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** The start of every script: the built log, as the service runs it, and helpers. */
const prelude = `
  import { randomUUID } from 'node:crypto';
  import { openSqliteEventLog } from ${built('../../dist/sqlite/index.js')};
  import { lockDirectory } from ${built('../../../sqlite/dist/index.js')};
  const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n');
  const event = (data, id = randomUUID()) => ({ id, type: 'child.happened', data, metadata: { account_id: null, actor: 'child', request_id: 'r', schema: 1, recorded_at: '2026-01-31T09:30:00.000Z' } });
`;

/** A child process, and the JSON lines that it has printed. */
export class Child {
  readonly reported: unknown[] = [];
  readonly exited: Promise<number | null>;
  private readonly process: ChildProcess;
  private heard: (() => void) | undefined;

  constructor(script: string, { maxFileKiB }: { readonly maxFileKiB?: number } = {}) {
    const node = [process.execPath, '--input-type=module', '-e', prelude + script];
    // A file size limit acts like a full disk. Its signal is ignored, so that writing fails instead
    // of ending the process.
    const [command = '', ...parameters] =
      maxFileKiB === undefined
        ? node
        : ['bash', '-c', `ulimit -f ${maxFileKiB}; trap '' XFSZ; exec "$@"`, 'limited', ...node];
    const child = spawn(command, parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.process = child;
    this.exited = once(child, 'close').then(([code]) => code as number | null);
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.reported.push(JSON.parse(line));
      this.heard?.();
    });
    void this.exited.then(() => this.heard?.());
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Resolves once the child has printed this many lines. */
  async says(lines: number): Promise<unknown[]> {
    while (this.reported.length < lines) {
      if (this.process.exitCode !== null)
        throw new Error(`the child ended after ${this.reported.length} lines`);
      await new Promise<void>((resolve) => (this.heard = resolve));
    }
    return this.reported;
  }

  /** Kills the child without a chance to clean up, as a crash would. */
  async kill(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null)
      this.process.kill('SIGKILL');
    await this.exited;
  }
}
