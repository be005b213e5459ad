import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Service } from '../service.js';
import type { StandaloneService } from './standalone.js';

/**
 * Returns the resident memory of a service's process in bytes; undefined on systems other than
 * Linux.
 */
export const residentBytes = (service: Service): number | undefined => {
  const text = ofProcess(service, 'status');
  return text === undefined ? undefined : 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1]);
};

/**
 * Returns the CPU seconds of all threads of the process so far; undefined on systems other than
 * Linux.
 */
export const cpuSeconds = (service: Service): number | undefined => {
  const fields = ofProcess(service, 'stat')
    ?.replace(/^.*\) /, '')
    .split(' ');
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) / 100;
};

/**
 * Limits the files and sockets that a running process may have open, and returns whether that
 * worked. It must not apply at startup, because loading the modules opens more files at a time than
 * the process ever does later.
 */
export const limitDescriptors = (service: Service, limit: number): boolean =>
  spawnSync('prlimit', [
    `--pid=${(service as StandaloneService).pid}`,
    `--nofile=${limit}:${limit}`,
  ]).status === 0;

const ofProcess = (service: Service, file: string): string | undefined => {
  const { pid } = service as StandaloneService;
  return process.platform === 'linux' && pid !== undefined
    ? readFileSync(`/proc/${pid}/${file}`, 'utf8')
    : undefined;
};
