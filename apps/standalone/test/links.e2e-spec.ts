import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(__dirname, '../../..');
const ignored = new Set(['node_modules', 'dist', '.git', '.nx', '.data', '.servers']);

const filesBelow = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !ignored.has(name))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [relative(root, path)];
    });
const files = filesBelow(root);
const pages = files.filter((file) => file.endsWith('.md'));

/** The anchors that GitHub generates for headings. */
const anchorsOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
const withoutCode = (text: string): string => text.replace(/^```[^]*?^```/gm, '');

it.each(pages)('every link in %s has a target', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const links = [
    ...withoutCode(text)
      .replace(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? join(root, page) : join(root, dirname(page), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
  });
  expect(broken).toEqual([]);
});

it.each(pages)('every source file that %s names exists', (page) => {
  const text = withoutCode(readFileSync(join(root, page), 'utf8'));
  // A file is named from the root, or by the end of its path.
  const named = [...text.matchAll(/`([\w./-]+\.(?:ts|mjs|cjs))`/g)].map(([, name = '']) => name);
  expect(
    named.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`))),
  ).toEqual([]);
});
