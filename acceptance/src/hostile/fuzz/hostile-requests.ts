import * as fc from 'fast-check';
import { bodyOf, mediaTypeOf } from './hostile-bodies.js';
import { headersOf } from './hostile-headers.js';
import { anyValue, rightValue, textOf, type Known, type Resolve } from './hostile-values.js';
import type { Parameter, RequestDocument } from './request-document.js';

/** A request with unchecked parts: each may hold any text. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly key: 'admin' | 'reader' | 'operator' | 'none' | 'wrong';
}

/** Generates requests to one operation, from valid to nonsense. */
export const hostileRequest = (
  document: RequestDocument,
  method: string,
  path: string,
  known: Known,
): fc.Arbitrary<HostileRequest> => {
  const operation = document.paths[path]?.[method.toLowerCase()] ?? {};
  const resolve: Resolve = (schema) =>
    schema.$ref === undefined
      ? schema
      : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  const parameters = (operation.parameters ?? [])
    .map((parameter) =>
      '$ref' in parameter
        ? document.components.parameters[parameter.$ref.split('/').at(-1) ?? '']
        : parameter,
    )
    .filter((parameter) => parameter !== undefined);
  const named = (where: string): readonly Parameter[] =>
    parameters.filter((parameter) => parameter.in === where);
  return fc.record({
    method: fc.oneof(
      { weight: 20, arbitrary: fc.constant(method) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'HEAD',
          'OPTIONS',
          'PUT',
          'DELETE',
          'PATCH',
          'POST',
          'TRACE',
          'QUERY',
        ),
      },
    ),
    path: pathOf(path, known),
    query: queryOf(named('query'), resolve, known),
    headers: headersOf(named('header'), known, mediaTypeOf(operation)),
    body: bodyOf(operation, resolve, known),
    key: fc.oneof(
      { weight: 10, arbitrary: fc.constant('admin' as const) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'reader' as const,
          'operator' as const,
          'none' as const,
          'wrong' as const,
        ),
      },
    ),
  });
};

const pathOf = (path: string, known: Known): fc.Arbitrary<string> => {
  const collection = path.split('/')[2] ?? '';
  const odd = fc.oneof(
    fc.string({ minLength: 1, maxLength: 30, unit: 'binary' }).map(escaped),
    fc.constantFrom(
      '%00',
      '..',
      '%2e%2e',
      '%2f',
      '%25',
      '%F0%9F%98%80',
      '%ed%a0%80',
      'a'.repeat(3_000),
      '*',
      ';',
      '{id}',
    ),
  );
  const ids = known(`${collection}.id`);
  const id =
    ids.length === 0
      ? odd
      : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: odd });
  const tail = fc.oneof(
    { weight: 20, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom('/', '//', '/x', ';x=1', '%20', '#x') },
  );
  return fc.tuple(id, tail).map(([segment, end]) => path.replace(/\{\w+\}/, () => segment) + end);
};

/** Escapes only the bytes that a request line cannot carry, and `%`. */
const escaped = (text: string): string =>
  Buffer.from(text, 'utf8').reduce(
    (all, byte) =>
      all +
      (byte > 0x20 && byte < 0x7f && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`),
    '',
  );

const queryOf = (
  parameters: readonly Parameter[],
  resolve: Resolve,
  known: Known,
): fc.Arbitrary<(readonly [string, string])[]> => {
  const right = parameters.map(({ name, schema }) =>
    fc
      .oneof(rightValue(schema, resolve, known, name), anyValue)
      .map((value) => [name, textOf(value)] as const),
  );
  const strange = fc.tuple(
    fc.oneof(
      fc.constantFrom('limit', 'cursor', 'x', '__proto__', 'limit[]', 'filter[a]'),
      fc.string({ maxLength: 10 }),
    ),
    anyValue.map(textOf),
  );
  const some =
    right.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...right), { maxLength: 4 });
  return fc
    .tuple(
      some,
      fc.oneof(
        { weight: 8, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(strange, { maxLength: 2 }) },
      ),
    )
    .map(([a, b]) => [...a, ...b]);
};
