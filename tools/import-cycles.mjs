import { posix } from 'node:path';
import ts from 'typescript';

const { dirname, join } = posix;

/**
 * The import cycles of a package. Each is the shortest circle, as a list of imports. `texts` holds the
 * text of each source file by its path in the package, such as `src/index.ts`.
 *
 * A cycle is one of files or of top folders: the folders directly in `src`, and each file directly in
 * `src`. Type imports and lazy imports count like any other. Specs and `src/index.ts`, which no other
 * file imports, may import every folder.
 */
export const importCycles = (texts) => {
  const imports = [...texts].flatMap(([from, text]) =>
    ts
      .preProcessFile(text, true, true)
      .importedFiles.filter(({ fileName }) => /^\.\.?(\/|$)/.test(fileName))
      .map(({ fileName }) => ({ from, to: resolved(from, fileName, texts) })),
  );
  const ofFiles = circlesOf(imports, (file) => file);
  const ofFolders = circlesOf(imports.filter(isBetweenFolders), topFolderOf);
  // files directly in `src` are both
  const found = new Set(ofFiles.map(String));
  return [...ofFiles, ...ofFolders.filter((circle) => !found.has(String(circle)))];
};

const resolved = (from, specifier, texts) => {
  const path = join(dirname(from), specifier);
  const file = [path.replace(/\.js$/, '.ts'), `${path}.ts`, join(path, 'index.ts')].find(
    (candidate) => texts.has(candidate),
  );
  if (file === undefined)
    throw new Error(`${from} imports ${specifier}, which is not a source file. Correct the path.`);
  return file;
};

/** The name directly below `src`; undefined for a file elsewhere. */
const topFolderOf = (file) => /^src\/([^/]+)/.exec(file)?.[1];

const mayImportEveryFolder = (file) => file === 'src/index.ts' || /\.(e2e-)?spec\.ts$/.test(file);

const isBetweenFolders = ({ from, to }) => {
  const folders = [from, to].map(topFolderOf);
  return !folders.includes(undefined) && folders[0] !== folders[1] && !mayImportEveryFolder(from);
};

/** The shortest circles of which no two have a node in common. */
const circlesOf = (imports, nodeOf) => {
  const importsOf = new Map();
  for (const step of imports) {
    const node = nodeOf(step.from);
    importsOf.set(node, [...(importsOf.get(node) ?? []), step]);
  }
  const circles = [...importsOf.keys()]
    .flatMap((node) => circleThrough(node, importsOf, nodeOf))
    .sort((one, other) => one.length - other.length);
  const reported = new Set();
  return circles
    .filter((circle) => {
      const nodes = circle.map(({ from }) => nodeOf(from));
      const isNew = nodes.every((node) => !reported.has(node));
      if (isNew) nodes.forEach((node) => reported.add(node));
      return isNew;
    })
    .map((circle) => circle.map(({ from, to }) => `${from} imports ${to}`));
};

/** The shortest circle through a node, in a list that is empty if there is none. */
const circleThrough = (start, importsOf, nodeOf) => {
  // breadth first: a loop over a map also visits the nodes that are added meanwhile
  const paths = new Map([[start, []]]);
  for (const [node, path] of paths)
    for (const step of importsOf.get(node) ?? []) {
      const next = nodeOf(step.to);
      if (next === start) return [[...path, step]];
      if (!paths.has(next)) paths.set(next, [...path, step]);
    }
  return [];
};
