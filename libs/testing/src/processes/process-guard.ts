import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Kills a child process if this process ends in any way without stopping it: the guard sees its
 * pipe from this process close. Kill the guard itself once the child has ended.
 */
export const guardProcess = (child: ChildProcess): ChildProcess => {
  const script = 'read _; kill -9 "$0"';
  const guard = spawn('/bin/sh', ['-c', script, String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  return guard;
};
