// Which test files belong to which tier. The rule is that of tools/jest/preset.cjs.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projects } from './projects.mjs';

const root = join(import.meta.dirname, '..');

/** The test files of a workspace, of one tier or of all, relative to the repository. */
export const testFiles = (workspace, tier) =>
  ['src', 'test']
    .filter((folder) => existsSync(join(root, workspace, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, workspace, folder), { recursive: true }).map(
        (file) => `${workspace}/${folder}/${file}`,
      ),
    )
    .filter((file) => /\.(e2e-)?spec\.ts$/.test(file))
    .filter((file) => tier === undefined || tierOf(file) === tier);

const tierOf = (file) => /\.(engines|faults|long)\.(e2e-)?spec\.ts$/.exec(file)?.[1] ?? 'test';

/** The workspaces that have suites of a tier. */
export const workspacesWith = (tier) =>
  projects(root).filter((workspace) => testFiles(workspace, tier).length > 0);
