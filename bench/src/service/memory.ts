import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Memory that a process holds (resident set), in MB. */
export const residentMb = (pid: number): number => {
  const kilobytes = process.platform === 'linux' ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(kilobytes) / 1_024;
};
