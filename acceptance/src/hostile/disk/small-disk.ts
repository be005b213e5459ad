import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A separate file system, small enough to be filled. */
export interface SmallDisk {
  readonly path: string;
  /** Fills all its space. */
  fill(): void;
  /** Frees that space again. */
  free(): void;
  remove(): void;
}

/** Mounts a tmpfs of this many MiB; undefined where this user may not mount one. */
export const mountSmallDisk = (mebibytes: number): SmallDisk | undefined => {
  const path = mkdtempSync(join(tmpdir(), 'refledger-disk-'));
  if (
    process.platform !== 'linux' ||
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', path])
      .status !== 0
  ) {
    rmSync(path, { recursive: true });
    return undefined;
  }
  const ballast = join(path, 'ballast');
  return {
    path,
    fill: () => {
      for (const piece of [Buffer.alloc(64 * 1024), Buffer.alloc(1)])
        while (appended(ballast, piece));
    },
    free: () => rmSync(ballast, { force: true }),
    remove: () => {
      spawnSync('umount', ['-l', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
};

const appended = (file: string, piece: Buffer): boolean => {
  try {
    appendFileSync(file, piece);
    return true;
  } catch {
    return false;
  }
};
