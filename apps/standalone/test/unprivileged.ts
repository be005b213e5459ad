import { spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A way to start a process to which file modes apply, since they do not apply to root. */
export interface Unprivileged {
  readonly through: readonly string[];
  /** Makes that process's user the owner of a folder. */
  own(path: string): void;
}

const nobody = 65_534;

/**
 * Returns a way to start a process without root's privileges; undefined when root cannot become
 * another user that can read this code.
 */
export const unprivileged = (): Unprivileged | undefined => {
  if (process.getuid?.() !== 0) return { through: [], own: () => undefined };
  const through = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  const canRead =
    spawnSync('setpriv', [...through.slice(1), 'test', '-r', fileURLToPath(import.meta.url)])
      .status === 0;
  return canRead ? { through, own: (path) => chownSync(path, nobody, nobody) } : undefined;
};
