// `node deploy/runtime-files.mjs FOLDER`, after a build: copies what every role needs at run time to
// FOLDER, in the layout of the repository: the bundled programs, and the packages that they import.
// With --double it copies the double of EventStoreDB, for tests, instead of the programs.
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { externalPackages } from '../tools/bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [target, option] = process.argv.slice(2);

/** The folders of these packages and of all packages that they need. */
const packageFolders = (names) => {
  const folders = new Set();
  const visit = (name, from, isOptional) => {
    const folder = installed(name, from);
    if (folder === undefined && !isOptional)
      throw new Error(`${relative(root, from)} needs ${name}, which isn't installed`);
    if (folder === undefined || name.startsWith('@types/') || folders.has(folder)) return;
    folders.add(folder);
    for (const needed of neededBy(folder)) visit(needed.name, folder, needed.isOptional);
  };
  for (const name of names) visit(name, root, false);
  return folders;
};

const neededBy = (folder) => {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const peers = Object.keys(peerDependencies).filter(
    (name) => peerDependenciesMeta[name]?.optional !== true,
  );
  return [...Object.keys(dependencies), ...peers]
    .map((name) => ({ name, isOptional: false }))
    .concat(Object.keys(optionalDependencies).map((name) => ({ name, isOptional: true })));
};

const installed = (name, from) => {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(candidate)) return candidate;
    if (folder === dirname(folder)) return undefined;
  }
};

const copyPackage = (folder) =>
  cpSync(folder, join(target, relative(root, folder)), {
    recursive: true,
    filter: (file) =>
      relative(folder, file).split('/')[0] !== 'node_modules' && !/\.(d\.[cm]?ts|map)$/.test(file),
  });

const programs = readdirSync(join(root, 'bundle'))
  .filter((file) => file.endsWith('.js'))
  .filter((file) => (file === 'eventstoredb-double.js') === (option === '--double'));
for (const file of programs) cpSync(join(root, 'bundle', file), join(target, 'bundle', file));
for (const folder of packageFolders(externalPackages)) copyPackage(folder);
cpSync(join(root, 'package.json'), join(target, 'package.json'));
