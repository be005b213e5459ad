import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const pauseMs = 1;
const maxPauses = 5_000;

/**
 * Sends SIGSTOP and returns once every thread of the process has stopped. Until one of them takes
 * the signal, which can take a while on a busy machine, the others keep running. Only Linux shows
 * the state of threads; elsewhere it returns immediately.
 */
export const suspend = (child: ChildProcess): void => {
  child.kill('SIGSTOP');
  if (process.platform !== 'linux' || child.pid === undefined) return;
  for (let n = 0; n < maxPauses && isRunning(child.pid); n += 1) Atomics.wait(cell, 0, 0, pauseMs);
};

const cell = new Int32Array(new SharedArrayBuffer(4));

const isRunning = (pid: number): boolean => threadsOf(pid).some((file) => !hasStopped(file));

const threadsOf = (pid: number): readonly string[] => {
  const directory = `/proc/${pid}/task`;
  return existsSync(directory) ? readdirSync(directory).map((id) => `${directory}/${id}/stat`) : [];
};

/** Whether the thread is stopped, traced, dead, or gone. */
const hasStopped = (file: string): boolean => {
  try {
    const stat = readFileSync(file, 'utf8');
    return /^[TtZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch (error) {
    if (isGone(error)) return true;
    throw error;
  }
};

const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');
