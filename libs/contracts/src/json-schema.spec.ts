import { z } from 'zod';
import { jsonSchemaOf } from './json-schema.js';

it.each<[string, z.ZodType, object]>([
  [
    'a plain type or null as one schema',
    z.string().min(2).nullable(),
    { type: ['string', 'null'], minLength: 2 },
  ],
  [
    'its description kept',
    z.string().regex(/^a$/).nullable().describe('what'),
    { type: ['string', 'null'], pattern: '^a$', description: 'what' },
  ],
  [
    'a choice or null apart, since null is none of the choices',
    z.enum(['a']).nullable(),
    { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
  ],
  [
    'a constant or null apart',
    z.literal('a').nullable(),
    { anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] },
  ],
  [
    'two types apart',
    z.union([z.string().min(1), z.int().min(0).max(5)]),
    {
      anyOf: [
        { type: 'string', minLength: 1 },
        { type: 'integer', minimum: 0, maximum: 5 },
      ],
    },
  ],
  [
    'two types or null apart',
    z.union([z.string().min(1), z.null(), z.boolean()]),
    { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }, { type: 'boolean' }] },
  ],
  ['an integer of any size', z.bigint(), { type: 'integer' }],
  ['an example as a list', z.string().meta({ example: 'x' }), { type: 'string', examples: ['x'] }],
])('has %s', (_what, schema, json) => expect(jsonSchemaOf(schema)).toEqual(json));

it('keeps a named schema or null apart, by reference', () => {
  const named = z.strictObject({ a: z.string() }).meta({ id: 'Named' });
  expect(jsonSchemaOf(z.strictObject({ x: named.nullable() }))).toMatchObject({
    properties: { x: { anyOf: [{ $ref: '#/$defs/Named' }, { type: 'null' }] } },
  });
});

it('refuses what JSON does not have', () => expect(() => jsonSchemaOf(z.date())).toThrow(/Date/));
