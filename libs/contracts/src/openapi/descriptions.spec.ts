import { Ajv2020 } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { openApiDocument } from './openapi.js';

type Json = Readonly<Record<string, unknown>>;
interface DescribedSchema {
  readonly description?: string;
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly ({
    readonly $ref?: string;
    readonly name: string;
  } & DescribedSchema)[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { schema: object; example?: unknown }>>;
  };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Json;
    readonly parameters: Readonly<Record<string, DescribedSchema>>;
    readonly headers: Readonly<Record<string, DescribedSchema>>;
  };
}

const document = JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3' }))) as Document;
const { components } = document;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** Keywords with values, or with rules about properties that are described elsewhere. */
const undescribed = new Set(['examples', 'enum', 'const', 'if', 'then', 'allOf']);
undescribed.add('dependentSchemas');

/** Returns the paths of all properties that have no description of their own. */
const bareIn = (schema: unknown, path: string): string[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, inner]: [string, unknown]) => {
    if (undescribed.has(keyword)) return [];
    if (keyword !== 'properties') return bareIn(inner, path);
    return Object.entries(inner as Record<string, DescribedSchema>).flatMap(([name, property]) => [
      ...(isText(property.description) ? [] : [`${path}.${name}`]),
      ...bareIn(property, `${path}.${name}`),
    ]);
  });
};
const isText = (description: string | undefined): boolean => description?.endsWith('.') === true;

it('notices a property without a description, at any depth', () => {
  const inner = { type: 'object', properties: { b: { description: 'Yes.' }, c: {} } };
  const schema = { properties: { a: { description: 'Yes.', items: inner }, d: { $ref: '#/e' } } };
  expect(bareIn({ anyOf: [schema], allOf: [schema] }, 'X')).toEqual(['X.a.c', 'X.d']);
});

// Add `.describe(…)` to the property: its unit, its limits, and when it is null.
it('describes every property', () =>
  expect(
    Object.entries(components.schemas).flatMap(([name, schema]) => bareIn(schema, name)),
  ).toEqual([]));

it('describes every parameter and header', () => {
  const bare = operations.flatMap(({ operationId, parameters }) =>
    parameters
      .filter(({ $ref, description }) => $ref === undefined && !isText(description))
      .map(({ name }) => `${operationId} ${name}`),
  );
  const shared = Object.entries({ ...components.parameters, ...components.headers });
  expect([
    ...bare,
    ...shared.filter(([, { description }]) => !isText(description)).map(([name]) => name),
  ]).toEqual([]);
});

describe('the body of', () => {
  const ajv = new Ajv2020({ strict: false });
  formats.default.default(ajv);
  const bodies = operations.flatMap(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).map((body) => [operationId, body] as const),
  );

  // Register one in `bodyExamples`; a suite of acceptance/ sends it to a service.
  it.each(bodies)('%s has an example that it accepts', (_, { schema, example }) => {
    const validate = ajv.compile({ components, allOf: [schema] });
    expect([example, validate(example), validate.errors]).toEqual([expect.any(Object), true, null]);
  });
});
