import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The memory that a process holds (resident set), in MB. */
export const residentMb = (pid: number): number => {
  const kilobytes = isLinux
    ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(kilobytes) / 1_024;
};

const isLinux = process.platform === 'linux';

/** Whether `cpuSeconds` works on this platform. */
export const cpuIsKnown = isLinux;

/** The CPU seconds that all threads of a process have used since its start. */
export const cpuSeconds = (pid: number): number => {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  // proc(5): user and system time are the 14th and 15th fields, in ticks of 10 ms
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / 100;
};
