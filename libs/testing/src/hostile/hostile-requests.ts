import * as fc from 'fast-check';
import { anyValue, rightValue, twistedValue, type Resolve, type Schema } from './hostile-values.js';

/** An OpenAPI document as far as requests are made from it. */
export interface RequestDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}
interface Operation {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

/** A request as bytes would be: nothing in it is checked. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly key: 'admin' | 'reader' | 'operator' | 'none' | 'wrong';
}

export interface Known {
  /** Right values for a field or parameter of this name; none when any will do. */
  (name: string): readonly string[];
}

/** Every operation of a document, as method and path. */
export const operationsOf = (document: RequestDocument): (readonly [string, string])[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );

/** Requests to one operation, from quite right to nonsense. */
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
    headers: headersOf(named('header'), known),
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

/** Escaped as far as a request line can't carry it. */
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

const headersOf = (
  parameters: readonly Parameter[],
  known: Known,
): fc.Arbitrary<Record<string, string>> => {
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
  const declared = parameters.map(({ name }) => {
    const offered = known(name);
    return fc.record({
      name: fc.constant(name),
      value: offered.length === 0 ? value : fc.constantFrom(...offered),
    });
  });
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
  const contentType = fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'application/json; charset=utf-16',
        'application/json;',
        'text/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        ',',
        'application/json, text/plain',
        'APPLICATION/JSON',
      ),
    },
  );
  const all = fc.array(fc.oneof(...declared, other), { maxLength: 3 });
  return fc.tuple(all, contentType).map(([entries, type]) => ({
    'content-type': type,
    ...Object.fromEntries(entries.map(({ name, value: text }) => [name.toLowerCase(), text])),
  }));
};

const bodyOf = (
  { requestBody }: Operation,
  resolve: Resolve,
  known: Known,
): fc.Arbitrary<string | undefined> => {
  const schema = requestBody?.content['application/json']?.schema;
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

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
