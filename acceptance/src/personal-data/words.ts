import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Makes words that occur nowhere else, and remembers them. */
export class Words {
  readonly all: string[] = [];

  readonly next = (): string => {
    const word = `w${randomBytes(9).toString('hex')}`;
    this.all.push(word);
    return word;
  };
}

/**
 * Returns those of these words that a text has: in UTF-8, in UTF-16, or in base64 or base64url of a
 * longer text in UTF-8. At least 8 characters long, ASCII.
 */
export const wordsIn = (bytes: Buffer, words: readonly string[]): string[] => {
  const beginnings = new Map<number, { readonly word: string; readonly form: Buffer }[]>();
  for (const word of words)
    for (const form of formsOf(word)) {
      const beginning = form.readUInt32LE();
      beginnings.set(beginning, [...(beginnings.get(beginning) ?? []), { word, form }]);
    }
  const found = new Set<string>();
  for (let at = 0; at + 4 <= bytes.length; at++)
    for (const { word, form } of beginnings.get(bytes.readUInt32LE(at)) ?? [])
      if (bytes.subarray(at, at + form.length).equals(form)) found.add(word);
  return [...found];
};

const formsOf = (word: string): Buffer[] => [
  Buffer.from(word),
  Buffer.from(word, 'utf16le'),
  ...[0, 1, 2].map((offset) => Buffer.from(base64At(offset, word))),
];

/** The part of the base64 of a text that is the same whatever the text has around the word. */
const base64At = (offset: number, word: string): string => {
  const bits = Buffer.from(`${'-'.repeat(offset)}${word}`).toString('base64url');
  const [first, end] = [Math.ceil((offset * 8) / 6), Math.floor(((offset + word.length) * 8) / 6)];
  return bits.slice(first, end);
};

/**
 * Every file in these directories, and every file that the process has open, also if it has no name
 * any more. Such files can be read only on Linux.
 */
export const filesOf = (
  directories: readonly string[],
  pid: number | undefined,
): ReadonlyMap<string, Buffer> => {
  const open = pid === undefined ? [] : [`/proc/${pid}/fd`];
  const files = new Map<string, Buffer>();
  for (const directory of directories)
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
      addFile(files, join(directory, name));
  for (const directory of open)
    for (const fd of orNone(() => readdirSync(directory)))
      if (/ \(deleted\)$/.test(orNone(() => [readlinkSync(join(directory, fd))])[0] ?? ''))
        addFile(files, join(directory, fd));
  return files;
};

/** Adds a file unless it is something else, or has vanished. */
const addFile = (files: Map<string, Buffer>, path: string): void => {
  for (const bytes of orNone(() => (statSync(path).isFile() ? [readFileSync(path)] : [])))
    files.set(path, bytes);
};

const orNone = <T>(read: () => readonly T[]): readonly T[] => {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
};
