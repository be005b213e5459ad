// `node deploy/role-files.mjs FOLDER WORKSPACE…` creates FOLDER/<workspace> with only what the
// workspace needs to run, in the layout of the repository: built files, and the installed packages
// that its `dependencies` lead to, without types and source maps. npm's --omit=dev would keep the
// test tools of every workspace.
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [target, ...workspaces] = process.argv.slice(2);

/** The package folders that a workspace depends on, and the links to Refledger's workspaces. */
const reached = (workspace) => {
  const folders = new Set();
  const links = new Set();
  const visit = (folder) => {
    if (folders.has(folder)) return;
    folders.add(folder);
    for (const { name, optional } of wanted(folder)) {
      const found = installed(name, folder);
      if (found === undefined && !optional)
        throw new Error(`${relative(root, folder)} needs ${name}, which isn't installed`);
      if (found === undefined || name.startsWith('@types/')) continue;
      if (lstatSync(found).isSymbolicLink()) links.add(found);
      visit(realpathSync(found));
    }
  };
  visit(join(root, workspace));
  return { folders, links };
};

const wanted = (folder) => {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  // a package that uses an optional peer lists it in its own dependencies
  const peers = Object.keys(peerDependencies).filter(
    (name) => peerDependenciesMeta[name]?.optional !== true,
  );
  return [...Object.keys(dependencies), ...peers]
    .map((name) => ({ name, optional: false }))
    .concat(Object.keys(optionalDependencies).map((name) => ({ name, optional: true })));
};

const installed = (name, from) => {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(candidate)) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
};

const isWorkspace = (folder) => !relative(root, folder).split(sep).includes('node_modules');

const copy = (folder, into) => {
  const isInWorkspace = isWorkspace(folder);
  const keeps = (file) => {
    const [first] = relative(folder, file).split(sep);
    if (first === 'node_modules' || /\.(d\.[cm]?ts|map|tsbuildinfo)$/.test(file)) return false;
    return !isInWorkspace || first === '' || first === 'package.json' || first === 'dist';
  };
  cpSync(folder, join(into, relative(root, folder)), { recursive: true, filter: keeps });
};

for (const workspace of workspaces) {
  const into = join(target, basename(workspace));
  const { folders, links } = reached(workspace);
  for (const folder of folders) copy(folder, into);
  for (const link of links) {
    const place = join(into, relative(root, link));
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(relative(dirname(link), realpathSync(link)), place);
  }
  cpSync(join(root, 'package.json'), join(into, 'package.json'));
}
