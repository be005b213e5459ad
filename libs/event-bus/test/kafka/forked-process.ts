import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { scaledTimeout } from '@refledger/testing';

/** A script of this directory in a separate process, which tests kill or suspend. */
export class ForkedProcess {
  readonly child: ChildProcess;

  constructor(script: string, options: object) {
    this.child = fork(join(__dirname, script), [JSON.stringify(options)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execArgv: [],
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGCONT');
    this.child.kill(signal);
    const late = setTimeout(() => this.child.kill('SIGKILL'), scaledTimeout(20_000));
    await ended;
    clearTimeout(late);
  }
}
