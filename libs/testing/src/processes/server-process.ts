import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { suspend } from './suspend.js';
import { guardProcess } from './process-guard.js';
import { eventually } from '../wait.js';

/** How to run a server, and how to tell that it is ready. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /**
   * Whether the server is ready, judged by its output since the last start, or by connecting to it.
   */
  readonly serves: (printed: string) => boolean | Promise<boolean>;
  /** The signal that stops the server cleanly. Default: SIGTERM. */
  readonly endSignal?: NodeJS.Signals;
  /** Called whenever the server has ended. */
  readonly ended?: () => Promise<void>;
}

/**
 * A server as a process on this machine that can be ended, killed, suspended and started again. It
 * never outlives the process that started it.
 */
export class ServerProcess {
  private running:
    | {
        readonly child: ChildProcess;
        readonly guard: ChildProcess;
        readonly ended: Promise<unknown>;
      }
    | undefined;
  private printed = '';

  constructor(private readonly server: ServerCommand) {}

  async start(): Promise<void> {
    if (this.running !== undefined) throw new Error('the server is already running');
    this.printed = '';
    const child = spawn(this.server.command, this.server.args, {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream
        .setEncoding('utf8')
        .on('data', (text: string) => (this.printed = (this.printed + text).slice(-100_000)));
    await once(child, 'spawn');
    this.running = { child, guard: guardProcess(child), ended: once(child, 'close') };
    await eventually(
      async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        if (!(await this.server.serves(this.printed)))
          throw new Error(
            `the server is not serving yet; it printed:\n${this.printed.slice(-4_000)}`,
          );
      },
      { timeoutMs: 60_000, intervalMs: 50 },
    ).catch(async (error: unknown) => {
      await this.end('SIGKILL');
      throw error;
    });
    if (child.exitCode === null && child.signalCode === null) return;
    await this.end('SIGKILL');
    throw new Error(
      `the server ended instead of serving; it printed:\n${this.printed.slice(-4_000)}`,
    );
  }

  /**
   * Ends the server if it is running. A server that does not end cleanly within half a minute is
   * killed.
   */
  async end(signal: 'SIGKILL' | 'cleanly'): Promise<void> {
    if (this.running === undefined) return;
    const { child, guard, ended } = this.running;
    child.kill('SIGCONT');
    child.kill(signal === 'SIGKILL' ? 'SIGKILL' : (this.server.endSignal ?? 'SIGTERM'));
    const late = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await ended;
    clearTimeout(late);
    guard.kill('SIGKILL');
    this.running = undefined;
    await this.server.ended?.();
  }

  signal(signal: NodeJS.Signals): void {
    if (this.running === undefined) throw new Error('the server is not running');
    if (signal === 'SIGSTOP') suspend(this.running.child);
    else this.running.child.kill(signal);
  }
}
