import { linesOf, receiveBody } from './body-lines.js';

async function* itemsOf<T>(...items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}
const chunks = (...texts: readonly string[]) => itemsOf(...texts.map((text) => Buffer.from(text)));

/** The numbers and texts of lines, and the error after them. */
const read = async (
  body: AsyncIterable<Buffer>,
  limits: object = {},
): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  try {
    for await (const { number, bytes } of linesOf(body, {
      maxLines: 3,
      maxLineBytes: 4,
      ...limits,
    }))
      found.push([number, bytes?.toString()]);
  } catch (error) {
    found.push(error);
  }
  return found;
};
const tooLarge = expect.objectContaining({ code: 'payload_too_large' }) as unknown;

it.each([
  ['every line with its number', ['a\nb', 'c\nd'], [[1, 'a'], [2, 'bc'], [3, 'd']]], // prettier-ignore
  ['no blank line, but counts it', ['a\n \t\r\nb'], [[1, 'a'], [3, 'b']]], // prettier-ignore
  ['a line that is too long', ['abcde\nb'], [[1, undefined], [2, 'b']]], // prettier-ignore
  ['no more than the maximum number of lines', ['a\n\nc\nd\n'], [[1, 'a'], [3, 'c'], tooLarge]], // prettier-ignore
  ['a last line that is exactly at the limit', ['a\nb\nc\n'], [[1, 'a'], [2, 'b'], [3, 'c']]], // prettier-ignore
])('reads %s', async (_, body, lines) => expect(await read(chunks(...body))).toEqual(lines));

describe('receiveBody', () => {
  const receive = async (...texts: readonly string[]) => {
    let kept = '';
    const ends: unknown[] = [];
    const into = {
      write: (bytes: Buffer) => Promise.resolve(void (kept += bytes.toString())),
      end: (error?: Error) => void ends.push(error),
    };
    await receiveBody(chunks(...texts), into, { maxBytes: 6 });
    return [kept, ends[0]];
  };

  it.each([
    ['a body', ['abc', 'de'], ['abcde', undefined]],
    ['a body of the maximum length', ['abc', 'def'], ['abcdef', undefined]],
    ['an empty body', [], ['', undefined]],
    ['no more than the limit, in one chunk', ['abcdefg'], ['abcdef', tooLarge]],
    ['no more than the limit, in many chunks', ['abc', 'def', 'g', 'h'], ['abcdef', tooLarge]],
  ])('keeps %s', async (_, body, result) => expect(await receive(...body)).toEqual(result));
});
