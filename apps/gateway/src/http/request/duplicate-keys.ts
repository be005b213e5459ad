/**
 * The JSON Pointer (RFC 6901) of the first key that an object of a JSON text has twice; undefined
 * if there is none. `parsed` is the parsed text, in which the last of such members has won.
 */
export const duplicateKeyIn = (text: string, parsed: unknown): string | undefined =>
  // costs less than parsing, as almost no text has such a key
  membersOfText(text) === membersOf(parsed) ? undefined : firstDuplicate(text);

/** The number of members in the objects of a JSON text: each has one colon outside strings. */
const membersOfText = (text: string): number => {
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === colon) members++;
    else if (code === quote) at = endOfString(text, at);
  }
  return members;
};
const [quote, colon, backslash] = [0x22, 0x3a, 0x5c];

/** Where the string that begins at `start` ends. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
};

/** The number of members in the objects of a value. A body may be too deep for recursion. */
const membersOf = (value: unknown): number => {
  let members = 0;
  const left = isContainer(value) ? [value] : [];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const values: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (values !== next) members += values.length;
    for (const each of values) if (isContainer(each)) left.push(each);
  }
  return members;
};

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

/** A string, with the colon after a key, or a character that opens, continues or closes a value. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*")([\t\n\r ]*:)?|[{}[\],]/g;

/** An object or array in which the scan is. */
interface OpenContainer {
  /** The keys so far; those of an array stay empty. */
  readonly keys: Set<string>;
  /** The last key, or the index of an element. */
  at: string | number;
}

const firstDuplicate = (text: string): string | undefined => {
  const opened: OpenContainer[] = [];
  for (const [found, string, colonAfter] of text.matchAll(token)) {
    const inside = opened.at(-1);
    if (string === undefined) follow(opened, found);
    else if (colonAfter !== undefined && inside !== undefined) {
      // two spellings, one of them with escapes, may be one key
      inside.at = JSON.parse(string) as string;
      if (inside.keys.has(inside.at)) return pointerTo(opened);
      inside.keys.add(inside.at);
    }
  }
  return undefined;
};

/** One for all arrays: a body may open thousands, and none has keys. */
const ofArray = new Set<string>();

const follow = (opened: OpenContainer[], mark: string): void => {
  if (mark === '{') opened.push({ keys: new Set(), at: '' });
  else if (mark === '[') opened.push({ keys: ofArray, at: 0 });
  else if (mark !== ',') opened.pop();
  else {
    const inside = opened.at(-1);
    if (typeof inside?.at === 'number') inside.at++;
  }
};

const pointerTo = (opened: readonly OpenContainer[]): string =>
  opened.map(({ at }) => `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
