import { present } from '@refledger/testing/present';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import fc from 'fast-check';
import { jsonSchemaOf } from './json-schema.js';
import { openApiDocument } from './openapi.js';
import { operations } from '../operations/operations.js';
import type { OperationSpec } from '../operations/operations.js';
import { problemsOf } from './operation-problems.js';
import { problemCodes } from '../problems/problems.js';
import { text } from '../text.js';

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema: object;
}
interface DocumentedResponse {
  $ref?: string;
  description: string;
  headers: Record<string, unknown>;
  content?: Record<string, { schema: object }>;
}
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, DocumentedResponse>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, { properties: Record<string, { enum: string[] }> }>;
    parameters: Record<string, Parameter>;
    headers: Record<string, { schema: object }>;
    responses: Record<string, DocumentedResponse>;
  };
}

const documentText = JSON.stringify(openApiDocument({ version: '1.2.3' }));
const document = JSON.parse(documentText) as Document;
const { components } = document;
const specs = Object.entries<OperationSpec>(operations);
const documented = (spec: OperationSpec): Operation =>
  present(document.paths[spec.path.replaceAll(/:(\w+)/g, '{$1}')]?.[spec.method.toLowerCase()]);
const parametersOf = (operation: Operation) =>
  operation.parameters.map((parameter) =>
    parameter.$ref
      ? present(components.parameters[present(parameter.$ref.split('/').at(-1))])
      : parameter,
  );
const responsesOf = (operation: Operation) =>
  Object.entries(operation.responses).map(([status, response]): [string, DocumentedResponse] => [
    status,
    response.$ref
      ? present(components.responses[present(response.$ref.split('/').at(-1))])
      : response,
  ]);

/** Returns every value in the document whose key has this name. */
const allOf = (name: string, value: unknown = document): unknown[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value as Record<string, unknown>).flatMap(([key, inner]) => [
        ...(key === name ? [inner] : []),
        ...allOf(name, inner),
      ]);

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
formats.default.default(ajv);
const mediaTypeOf = ({ streamed, file }: OperationSpec): string => {
  if (file === true) return 'text/csv';
  return streamed === true ? 'application/x-ndjson' : 'application/json';
};

const compile = (schema: object) => ajv.compile({ components, allOf: [schema] });
ajv.addKeyword('components');

it('is deterministic', () =>
  expect(JSON.stringify(openApiDocument({ version: '1.2.3' }))).toBe(documentText));

it('has its version, and that of OpenAPI', () => {
  expect(document).toMatchObject({
    openapi: '3.1.1',
    info: { title: 'Refledger', version: '1.2.3' },
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
  });
});

it('has no dangling references', () => {
  const references = allOf('$ref') as string[];
  expect(references.length).toBeGreaterThan(100);
  for (const reference of new Set(references)) {
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>(
        (value, key) => (value as Record<string, unknown> | undefined)?.[key],
        document,
      );
    expect({ reference, found: typeof found }).toEqual({ reference, found: 'object' });
  }
});

it('has schemas that a strict validator accepts', () => {
  const schemas = allOf('schema') as object[];
  expect(schemas.length).toBeGreaterThan(100);
  for (const schema of [...schemas, ...Object.values(components.schemas)])
    expect(() => compile(schema)).not.toThrow();
});

it('has every operation and no other', () => {
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(ids.toSorted()).toEqual(Object.keys(operations).toSorted());
});

describe.each(specs)('%s', (_id, spec) => {
  const operation = documented(spec);

  it('has each parameter once, with path parameters required', () => {
    const parameters = parametersOf(operation);
    const named = (where: string) =>
      parameters.filter((parameter) => parameter.in === where).map(({ name }) => name);
    expect(named('path')).toEqual([...spec.path.matchAll(/:(\w+)/g)].map(([, name]) => name));
    expect(
      parameters.filter((parameter) => parameter.in === 'path' && !parameter.required),
    ).toEqual([]);
    expect(named('query')).toEqual(Object.keys(spec.query?.shape ?? {}));
    expect(named('header').includes('Idempotency-Key')).toBe(spec.idempotent === true);
    expect(named('header').includes('If-Match')).toBe(
      spec.etag === true && (spec.method === 'PATCH' || spec.method === 'DELETE'),
    );
    expect(new Set(parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).size).toBe(
      parameters.length,
    );
  });

  it('has a body of its media type if and only if it accepts one', () =>
    expect(Object.keys(operation.requestBody?.content ?? {})).toEqual([
      ...(spec.body === undefined ? [] : ['application/json']),
      ...(spec.bodyLine === undefined ? [] : ['application/x-ndjson']),
    ]));

  it('has each of its responses, with their headers', () => {
    const responses = new Map(responsesOf(operation));
    for (const [status, schema] of Object.entries(spec.responses)) {
      const { content, headers } = present(responses.get(status));
      const type = mediaTypeOf(spec);
      expect(content?.[type] !== undefined).toBe(schema !== null);
      expect(headers).toMatchObject({
        'X-Request-Id': {},
        RateLimit: {},
        'RateLimit-Policy': {},
      });
      expect('Refledger-Position' in headers).toBe(spec.hasPosition !== false);
      expect('ETag' in headers).toBe(spec.etag === true && schema !== null);
    }
  });

  it('has each of its problems under its status, and no other', () => {
    const problems = responsesOf(operation).filter(([status]) => Number(status) >= 400);
    for (const [status, { content, description, headers }] of problems) {
      const validate = compile(present(content?.['application/problem+json']).schema);
      const possible = Object.keys(problemCodes).filter((code) =>
        validate({ type: '', title: '', status: Number(status), code, detail: '', request_id: '' }),
      );
      expect(possible).toEqual(
        problemsOf(spec).filter((code) => String(problemCodes[code].status) === status),
      );
      for (const code of possible) expect(description).toContain(code);
      expect('Retry-After' in headers).toBe(status === '429' || status === '503');
    }
    expect(problems.map(([status]) => Number(status))).toEqual(
      [...new Set(problemsOf(spec).map((code) => problemCodes[code].status))].toSorted(
        (a, b) => a - b,
      ),
    );
  });
});

describe('the problems of an operation', () => {
  it('are the common ones, those of its body, scope and path, and its own', () => {
    expect(problemsOf(operations.getAccount)).toEqual([
      'bad_request',
      'unauthenticated',
      'uri_too_long',
      'validation_failed',
      'unknown_field',
      'rate_limited',
      'headers_too_large',
      'internal',
      'unavailable',
      'read_model_behind',
    ]);
    expect(problemsOf(operations.updateConversion)).toEqual(
      expect.arrayContaining([
        'malformed_json',
        'unsupported_media_type',
        'insufficient_scope',
        'not_found',
        'invalid_transition',
        'revision_mismatch',
        'precondition_required',
        'immutable_field',
      ]),
    );
    expect(problemsOf(operations.quoteSale)).toEqual(
      expect.arrayContaining(['malformed_json', 'read_model_behind']),
    );
    expect(problemsOf(operations.importPayouts)).toContain('unsupported_media_type');
    expect(problemsOf(operations.importPayouts)).not.toContain('malformed_json');
    expect(problemsOf(operations.createConversion)).not.toContain('read_model_behind');
    expect(problemsOf(operations.createConversion)).not.toContain('not_found');
    expect(problemsOf(operations.getConversion)).not.toContain('insufficient_scope');
  });
});

it('describes the checks of zod beyond types so that a validator can apply them', () => {
  const update = compile({ $ref: '#/components/schemas/UpdateConversion' });
  expect(
    [{}, { reason: 'x' }, { status: 'approved', reason: 'x' }].map((body) => update(body)),
  ).toEqual([false, false, true]);
  const create = compile({ $ref: '#/components/schemas/CreateAffiliate' });
  expect(
    [{}, { name: 'x' }, { metadata: { ['k'.repeat(41)]: '' } }].map((more) =>
      create({ email: 'a@b.c', name: 'a', program_id: 'prog_a', ...more }),
    ),
  ).toEqual([true, true, false]);
});

it("has patterns that tools without JavaScript's regular expressions can read", () => {
  const patterns = new Set(allOf('pattern') as string[]);
  expect(patterns.size).toBeGreaterThan(10);
  // dialects differ in \p, and \d, \w and \s match other characters in some of them
  expect([...patterns].filter((pattern) => /\\[pPdDwWsS]/.test(pattern))).toEqual([]);
});

describe('the document accepts', () => {
  const parameter = (name: string) =>
    compile(
      present(Object.values(components.parameters).find((each) => each.name === name)).schema,
    );

  it.each([
    [
      'If-Match',
      ['*', '"3"', 'W/"3"', '"1", W/"2"', '""', '"a,b"'],
      ['', '3', '"', '"a b"', '"1",', '*,*'],
    ],
    ['Idempotency-Key', ['a', 'a b', '~'.repeat(255)], ['', ' a', 'a ', 'é', 'a'.repeat(256)]],
    ['Refledger-Min-Position', ['0', '12', '9'.repeat(20)], ['', '01', '-1', '1'.repeat(21)]],
    ['X-Request-Id', ['a', '', 'x'.repeat(1_000)], []],
  ] as const)('the same values as the service for %s', (name, taken, refused) => {
    const validate = parameter(name);
    expect([
      taken.filter((value) => !validate(value)),
      refused.filter((value) => validate(value)),
    ]).toEqual([[], []]);
  });

  it('the same emails as the service', () => {
    const create = compile({ $ref: '#/components/schemas/CreateAffiliate' });
    const taken = ['a@b', "o'hara+x@a-b.co", 'jörg@bücher.example', '\u{1F984}@a.中文'];
    const refused = ['a', 'a b@c', 'a..b@c', 'ü@-b', 'ü@b..c', `${'a'.repeat(250)}@b.cd`];
    const takes = (email: string) => create({ email, name: 'a', program_id: 'prog_a' });
    expect([taken.filter((email) => !takes(email)), refused.filter(takes)]).toEqual([[], []]);
  });

  it('the same text as the service', () => {
    const validate = compile(jsonSchemaOf(text({ max: 10 })));
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (value) =>
        expect(validate(value)).toBe(text({ max: 10 }).safeParse(value).success),
      ),
    );
    for (const control of ['\u0000', '\n', '\u001f', '\u007f', '\u0080', '\u009f'])
      expect(validate(control)).toBe(false);
    expect([' ', '~', '\u00a0', '🦆'].filter((value) => !validate(value))).toEqual([]);
  });
});

it('describes sums as integers, and nullable fields with null', () => {
  const { AffiliateStats, Conversion } = components.schemas;
  expect(allOf('unpaid', AffiliateStats)).toMatchObject([{ type: 'integer' }]);
  expect(present(Conversion).properties['approved_at']).toMatchObject({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When it was last approved; null if it never was.',
  });
});

it('lists every problem code', () =>
  expect(present(components.schemas['Problem']?.properties['code']).enum).toEqual(
    Object.keys(problemCodes),
  ));

it('describes the webhooks', () => {
  const { post } = present(document.webhooks['event']);
  expect(post.parameters.map(({ name }) => name)).toEqual([
    'X-Service-Signature',
    'X-Service-Event',
    'X-Service-Delivery',
    'X-Service-Revision',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
  ]);
  expect(post.requestBody?.content['application/json']?.schema).toEqual({
    $ref: '#/components/schemas/EventEnvelope',
  });
});
