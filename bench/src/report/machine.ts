import { execFileSync } from 'node:child_process';
import { arch, cpus, loadavg, platform, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Machine } from './results.js';

/** Describes the machine that the run is measured on. */
export const thisMachine = (): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memory_mb: Math.round(totalmem() / 1024 / 1024),
  platform: `${platform()} ${arch()}`,
  node: process.version,
  commit: git('rev-parse', '--short', 'HEAD') || 'unknown',
  dirty: git('status', '--porcelain') !== '',
  load_before: Math.round((loadavg()[0] ?? 0) * 100) / 100,
});

const directory = fileURLToPath(new URL('.', import.meta.url));

/** Empty where there is no repository. */
const git = (...args: string[]): string => {
  try {
    return execFileSync('git', args, {
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
};
