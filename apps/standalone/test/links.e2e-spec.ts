import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(__dirname, '../../..');
const notOurs = new Set(['node_modules', 'dist', '.git', '.nx', '.data']);

const pagesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !notOurs.has(name)).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? pagesBelow(path) : entry.name.endsWith('.md') ? [relative(root, path)] : [];
  });

/** As GitHub makes them of headings. */
const anchorsOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase().replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
const withoutCode = (text: string): string => text.replace(/^```[^]*?^```/gm, '');

it.each(pagesBelow(root))('every link of %s leads somewhere', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const links = [...withoutCode(text).replace(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link));
  const broken = links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? join(root, page) : join(root, dirname(page), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
  });
  expect(broken).toEqual([]);
});
