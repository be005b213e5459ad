import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const memory = '/dev/shm';
const wantedBytes = 4 * 2 ** 30;

/**
 * Where this machine has room for it, creates a folder in memory for the temporary files of a run
 * (among them the data of every service and server that a suite starts), and removes it when this
 * process exits. Returns the environment that names the folder. On a disk with a slow fsync, the
 * suites would take several times as long. They lose nothing by it: a killed process loses nothing
 * that it has written, on a disk or in memory.
 */
export const temporaryFolder = () => {
  if (process.env.TMPDIR !== undefined || freeBytes(memory) < wantedBytes) return {};
  const folder = mkdtempSync(join(memory, 'refledger-'));
  // as for /tmp: some tests start a process as another user
  chmodSync(folder, 0o1777);
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.on('exit', remove);
  for (const [signal, number] of [
    ['SIGHUP', 1],
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ])
    process.once(signal, () => process.exit(128 + number));
  return { TMPDIR: folder };
};

const freeBytes = (path) => {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
};
