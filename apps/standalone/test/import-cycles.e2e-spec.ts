import { join } from 'node:path';

/** The cycles of a package whose files import these specifiers. */
let cyclesOf: (imports: Readonly<Record<string, readonly string[]>>) => string[][];

beforeAll(async () => {
  const tool = join(__dirname, '../../../tools/import-cycles.mjs');
  // a program in JavaScript, without types
  const { importCycles } = (await import(tool)) as {
    readonly importCycles: (texts: ReadonlyMap<string, string>) => string[][];
  };
  cyclesOf = (imports) =>
    importCycles(new Map(Object.entries(imports).map(([file, lines]) => [file, lines.join('\n')])));
});

it('finds no cycle where imports go one way', () => {
  const imports = {
    'src/index.ts': [`export * from './one/top.js';`, `export * from './two/base.js';`],
    'src/one/top.ts': [`import { middle } from './middle.js';`, `import 'node:fs';`],
    'src/one/middle.ts': [`import { base } from '../two/base.js';`],
    'src/two/base.ts': [`// import './base.js';`],
  };
  expect(cyclesOf(imports)).toEqual([]);
});

it.each([
  ['an import', `import { b } from './b.js';`],
  ['a type import', `import type { B } from './b.js';`],
  ['an export', `export * from './b.js';`],
  ['an export of a type', `export type { B } from './b.js';`],
  ['a lazy import', `const b = async () => import('./b.js');`],
  ['an import type', `type B = typeof import('./b.js');`],
])('finds a cycle of files through %s', (_kind, line) => {
  const cycle = ['src/a/a.ts imports src/a/b.ts', 'src/a/b.ts imports src/a/a.ts'];
  const back = `import { a } from './a.js';`;
  expect(cyclesOf({ 'src/a/a.ts': [line], 'src/a/b.ts': [back] })).toEqual([cycle]);
});

it('finds a file that imports itself through the index of its folder', () => {
  const imports = {
    'src/a/index.ts': [`export * from './a.js';`],
    'src/a/a.ts': [`import { a } from '.';`],
  };
  expect(cyclesOf(imports)).toEqual([
    ['src/a/index.ts imports src/a/a.ts', 'src/a/a.ts imports src/a/index.ts'],
  ]);
});

it('finds a cycle of folders whose files have none', () => {
  const imports = {
    'src/one/deep/a.ts': [`import { b } from '../../two/b.js';`],
    'src/two/b.ts': [],
    'src/two/c.ts': [`import type { D } from '../one/d.js';`],
    'src/one/d.ts': [],
  };
  expect(cyclesOf(imports)).toEqual([
    ['src/one/deep/a.ts imports src/two/b.ts', 'src/two/c.ts imports src/one/d.ts'],
  ]);
});

it('counts a file directly in src as a folder', () => {
  const imports = {
    'src/options.ts': [`import { a } from './one/a.js';`],
    'src/one/a.ts': [],
    'src/one/b.ts': [`import { options } from '../options.js';`],
  };
  expect(cyclesOf(imports)).toEqual([
    ['src/options.ts imports src/one/a.ts', 'src/one/b.ts imports src/options.ts'],
  ]);
});

it('reports a cycle of files directly in src once', () => {
  const imports = {
    'src/a.ts': [`import './b.js';`],
    'src/b.ts': [`import './a.js';`],
  };
  expect(cyclesOf(imports)).toEqual([['src/a.ts imports src/b.ts', 'src/b.ts imports src/a.ts']]);
});

it('reports the shortest circle', () => {
  const imports = {
    'src/a/a.ts': [`import './b.js';`],
    'src/a/b.ts': [`import './c.js';`],
    'src/a/c.ts': [`import './a.js';`, `import './b.js';`],
  };
  expect(cyclesOf(imports)).toEqual([
    ['src/a/b.ts imports src/a/c.ts', 'src/a/c.ts imports src/a/b.ts'],
  ]);
});

it('lets specs and test code use every folder, but not each other in a circle', () => {
  const imports = {
    'src/one/a.ts': [`import '../two/b.js';`],
    'src/two/b.ts': [],
    'src/two/b.spec.ts': [`import '../one/a.js';`, `import '../../test/c.js';`],
    'test/c.ts': [`import '../src/one/a.js';`, `import './d.js';`],
    'test/d.ts': [`import './c.js';`],
  };
  expect(cyclesOf(imports)).toEqual([
    ['test/c.ts imports test/d.ts', 'test/d.ts imports test/c.ts'],
  ]);
});

it('refuses an import that it cannot follow', () => {
  expect(() => cyclesOf({ 'src/a.ts': [`import './gone.js';`] })).toThrow(
    'src/a.ts imports ./gone.js, which is not a source file. Correct the path.',
  );
});
