import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Service } from './service.js';
import type { StandaloneService } from './standalone.js';

/** What the kernel tells of a service's process; undefined where it is not Linux. */
export const residentBytes = (service: Service): number | undefined => {
  const text = ofProcess(service, 'status');
  return text === undefined ? undefined : 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1]);
};

/** Processor time of all its threads so far. */
export const cpuSeconds = (service: Service): number | undefined => {
  const fields = ofProcess(service, 'stat')
    ?.replace(/^.*\) /, '')
    .split(' ');
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) / 100;
};

/** Not before its start: to load its modules it opens more files at once than it ever has open later. */
export const limitDescriptors = (service: Service, most: number): boolean =>
  spawnSync('prlimit', [`--pid=${(service as StandaloneService).pid}`, `--nofile=${most}:${most}`])
    .status === 0;

const ofProcess = (service: Service, file: string): string | undefined => {
  const { pid } = service as StandaloneService;
  return process.platform === 'linux' && pid !== undefined
    ? readFileSync(`/proc/${pid}/${file}`, 'utf8')
    : undefined;
};
