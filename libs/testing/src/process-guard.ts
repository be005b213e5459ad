import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Kills a child when this process has gone without ending it, however it went: its end of the pipe
 * closes then. The guard itself is to be killed once the child has ended.
 */
export const guardProcess = (child: ChildProcess): ChildProcess => {
  const script = 'read _; kill -9 "$0"';
  const guard = spawn('/bin/sh', ['-c', script, String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  return guard;
};
