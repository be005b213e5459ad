import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of all workspaces below `root`, such as `libs/contracts`. */
export const projects = (root) =>
  ['libs', 'apps'].flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`)).filter((folder) => existsSync(join(root, folder, 'package.json')));
