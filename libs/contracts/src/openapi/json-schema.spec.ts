import { z } from 'zod';
import { jsonSchemaOf } from './json-schema.js';

it.each<[string, z.ZodType, object]>([
  [
    'a plain type or null as one schema',
    z.string().min(2).nullable(),
    { type: ['string', 'null'], minLength: 2 },
  ],
  [
    'the description of a type or null',
    z.string().regex(/^a$/).nullable().describe('what'),
    { type: ['string', 'null'], pattern: '^a$', description: 'what' },
  ],
  [
    'a choice and null as two schemas, since null is not one of the choices',
    z.enum(['a']).nullable(),
    { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
  ],
  [
    'a constant and null as two schemas',
    z.literal('a').nullable(),
    { anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] },
  ],
  [
    'two types as two schemas',
    z.union([z.string().min(1), z.int().min(0).max(5)]),
    {
      anyOf: [
        { type: 'string', minLength: 1 },
        { type: 'integer', minimum: 0, maximum: 5 },
      ],
    },
  ],
  [
    'two types and null as three schemas',
    z.union([z.string().min(1), z.null(), z.boolean()]),
    { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }, { type: 'boolean' }] },
  ],
  ['an integer of any size', z.bigint(), { type: 'integer' }],
  ['an example as a list', z.string().meta({ example: 'x' }), { type: 'string', examples: ['x'] }],
])('has %s', (_what, schema, json) => expect(jsonSchemaOf(schema)).toEqual(json));

it('keeps a named schema and null as two schemas, the first by reference', () => {
  const named = z.strictObject({ a: z.string() }).meta({ id: 'Named' });
  expect(jsonSchemaOf(z.strictObject({ x: named.nullable() }))).toMatchObject({
    properties: { x: { anyOf: [{ $ref: '#/$defs/Named' }, { type: 'null' }] } },
  });
});

it('rejects schemas that JSON Schema cannot express', () =>
  expect(() => jsonSchemaOf(z.date())).toThrow(/Date/));
