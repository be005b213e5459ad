import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of all workspaces below `root`, such as `libs/contracts`. */
export const projects = (root) =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    .workspaces.flatMap((workspace) =>
      workspace.endsWith('/*')
        ? readdirSync(join(root, workspace.slice(0, -2))).map(
            (name) => `${workspace.slice(0, -2)}/${name}`,
          )
        : [workspace],
    )
    .filter((folder) => existsSync(join(root, folder, 'package.json')));
