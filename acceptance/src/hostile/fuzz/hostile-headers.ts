import * as fc from 'fast-check';
import type { Known } from './hostile-values.js';
import type { Parameter } from './request-document.js';

/** Generates a content type and a few more headers: some that the operation takes, and others. */
export const headersOf = (
  parameters: readonly Parameter[],
  known: Known,
  mediaType: string,
): fc.Arbitrary<Record<string, string>> => {
  const declared = parameters.map(({ name }) => {
    const offered = known(name);
    return fc.record({
      name: fc.constant(name),
      value: offered.length === 0 ? value : fc.constantFrom(...offered),
    });
  });
  const all = fc.array(fc.oneof(...declared, other), { maxLength: 3 });
  return fc.tuple(all, contentTypeOf(mediaType)).map(([entries, type]) => ({
    'content-type': type,
    ...Object.fromEntries(entries.map(({ name, value: text }) => [name.toLowerCase(), text])),
  }));
};

const value = fc
  .oneof(
    fc.constantFrom(
      '"0"',
      '"1"',
      '"1", "2"',
      '*',
      'W/"1"',
      '""',
      '0',
      '1',
      '-1',
      '18446744073709551616',
      'é',
      'a'.repeat(300),
    ),
    fc.string({ maxLength: 50 }),
  )
  .map((text) => text.replace(/[^\x20-\x7e\x80-\xff]/g, '?'));

const other = fc.record({
  name: fc.constantFrom(
    'accept',
    'origin',
    'cookie',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-http-method-override',
    'range',
    'if-none-match',
    'if-modified-since',
    'content-encoding',
    'content-language',
    'accept-encoding',
    'forwarded',
    'x-request-id',
  ),
  value,
});

/** Generates mostly the content type that the operation takes. */
const contentTypeOf = (mediaType: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(mediaType) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'application/json; charset=utf-16',
        'application/json',
        'application/x-ndjson',
        'application/x-ndjson;x',
        'text/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        ',',
        'application/json, text/plain',
        'APPLICATION/JSON',
      ),
    },
  );
