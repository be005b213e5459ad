import type { IncomingHttpHeaders } from 'node:http';
import { ExcerptWriter } from './response-excerpt.js';

const excerptOf = (headers: IncomingHttpHeaders, ...chunks: readonly Buffer[]) => {
  const writer = new ExcerptWriter(headers);
  for (const chunk of chunks) writer.add(chunk);
  return writer.end();
};

describe('the body of an excerpt', () => {
  const bodyOf = (...chunks: readonly Buffer[]) => {
    const { body, isTruncated } = excerptOf({}, ...chunks);
    return { body, isTruncated };
  };

  it('is the whole body up to 2 KiB, and its start beyond', () => {
    const full = Buffer.alloc(2_048, 'x');
    expect(bodyOf(full)).toEqual({ body: 'x'.repeat(2_048), isTruncated: false });
    expect(bodyOf(full, Buffer.from('y'))).toEqual({ body: 'x'.repeat(2_048), isTruncated: true });
    expect(bodyOf(Buffer.from('a'), Buffer.alloc(5_000, 'b'))).toEqual({
      body: `a${'b'.repeat(2_047)}`,
      isTruncated: true,
    });
  });

  it('may have its characters split over chunks', () => {
    const bytes = Buffer.from('Zoë 🎉');
    expect(bodyOf(...[...bytes].map((byte) => Buffer.from([byte]))).body).toBe('Zoë 🎉');
  });

  it('ends before a character of which only a part is kept', () => {
    const body = Buffer.concat([Buffer.alloc(2_046, 'x'), Buffer.from('🎉')]);
    expect(bodyOf(body)).toEqual({ body: 'x'.repeat(2_046), isTruncated: true });
  });

  it.each([
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0xc3, 0x28]), 'a\uFFFD\uFFFD('],
    ['an unfinished character', Buffer.from([0x61, 0xf0, 0x9f]), 'a\uFFFD'],
    [
      'control characters',
      Buffer.from('\u0000\u001b[31m\u007f\u009b'),
      '\uFFFD\uFFFD[31m\uFFFD\uFFFD',
    ],
    [
      'characters that change the direction of text',
      Buffer.from('a\u202eb\u2066'),
      'a\uFFFDb\uFFFD',
    ],
  ])('replaces %s', (_, bytes, text) => {
    expect(bodyOf(bytes).body).toBe(text);
  });

  it('keeps tabs and line ends', () => {
    expect(bodyOf(Buffer.from('{\r\n\t"a": 1\n}')).body).toBe('{\r\n\t"a": 1\n}');
  });
});

describe('the headers of an excerpt', () => {
  const headersOf = (headers: IncomingHttpHeaders) => excerptOf(headers).headers;

  it('are at most 20, with at most 200 characters each', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`x-${n}`, 'v']));
    expect(headersOf(many)).toHaveLength(20);
    expect(headersOf({ [`x-${'n'.repeat(300)}`]: `${'v'.repeat(199)}🎉` })).toEqual([
      [`x-${'n'.repeat(198)}`, 'v'.repeat(199)],
    ]);
  });

  it('have no credentials', () => {
    const headers = {
      'set-cookie': ['session=1'],
      'www-authenticate': 'Basic',
      authorization: 'Bearer',
      'x-api-key': 'k',
      'x-csrf-token': 't',
      server: 'nginx',
    };
    expect(headersOf(headers)).toEqual([['server', 'nginx']]);
  });

  it('are joined when several have the same name', () => {
    expect(headersOf({ 'x-hop': ['a', 'b'] })).toEqual([['x-hop', 'a, b']]);
  });

  it('have no control characters', () => {
    expect(headersOf({ 'x-color': '\u001b[31mred' })).toEqual([['x-color', '\uFFFD[31mred']]);
  });
});
