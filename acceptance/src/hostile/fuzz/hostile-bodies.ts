import * as fc from 'fast-check';
import {
  anyValue,
  rightValue,
  textOf,
  twistedValue,
  type Known,
  type Resolve,
} from './hostile-values.js';
import type { Operation } from './request-document.js';

/** Generates a body, from valid to broken JSON, or none. */
export const bodyOf = (
  operation: Operation,
  resolve: Resolve,
  known: Known,
): fc.Arbitrary<string | undefined> => {
  const schema = operation.requestBody?.content[mediaTypeOf(operation)]?.schema;
  if (schema === undefined)
    return fc.oneof(
      { weight: 8, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: broken },
      { weight: 1, arbitrary: anyValue.map(textOf) },
    );
  const json = (value: unknown): string => JSON.stringify(value) ?? '';
  const right = rightValue(schema, resolve, known).map(json);
  const cut = fc.tuple(right, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1)));
  const twice = right.map((text) => text.replace(/^\{("[^"]+":)/, '{$1null,$1'));
  return fc.oneof(
    { weight: 4, arbitrary: right },
    { weight: 8, arbitrary: twistedValue(schema, resolve, known).map(json) },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: twice },
    { weight: 1, arbitrary: broken },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
};

/** The media type of the body that an operation takes. The schema of NDJSON describes one line. */
export const mediaTypeOf = ({ requestBody }: Operation): string =>
  Object.keys(requestBody?.content ?? {})[0] ?? 'application/json';

/** Texts that are not JSON, not an object, or larger than a body may be. */
const broken = fc.constantFrom(
  '{',
  '[]',
  '""',
  'null',
  '{"a":1,}',
  "{'a':1}",
  '\ufeff{}',
  '{"a":1}{"b":2}',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{}}}',
  '['.repeat(20_000),
  '{"a":'.repeat(5_000),
  '1e999',
  '"\\ud800"',
  ' ',
  'NaN',
  `{"metadata":{${Array.from({ length: 60 }, (_, n) => `"k${n}":"v"`).join(',')}}}`,
  '"'.padEnd(70_000, 'x'),
);
