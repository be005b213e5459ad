import { spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A way to start a process that file modes hold for, as they don't for root. */
export interface Unprivileged {
  readonly through: readonly string[];
  /** Makes a folder that process's own. */
  own(path: string): void;
}

const nobody = 65_534;

/** Undefined for a root that can't become anybody else. */
export const unprivileged = (): Unprivileged | undefined => {
  if (process.getuid?.() !== 0) return { through: [], own: () => undefined };
  const through = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  const canRead =
    spawnSync('setpriv', [...through.slice(1), 'test', '-r', fileURLToPath(import.meta.url)])
      .status === 0;
  return canRead ? { through, own: (path) => chownSync(path, nobody, nobody) } : undefined;
};
