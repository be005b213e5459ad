import { z } from 'zod';
import { jsonSchemaOf, type JsonSchema } from './json-schema.js';
import { operations, type OperationId, type OperationSpec } from '../operations/operations.js';

/**
 * Returns the JSON Schema (draft 7, self-contained) of a response that has a body, for compiling a
 * serializer. It has only the keywords that shape the text, since responses are not validated.
 */
export const responseJsonSchema = (id: OperationId, status: number): JsonSchema => {
  const { responses }: OperationSpec = operations[id];
  const response = responses[status];
  if (!response) throw new TypeError(`${id} has no response with status ${status} and a body`);
  return response instanceof z.ZodDiscriminatedUnion && response.def.discriminator === 'object'
    ? eitherRecord(response.options)
    : shapeOf(response);
};

const shapeOf = (schema: z.ZodType): JsonSchema => jsonSchemaOf(schema, 'draft-07', shapeOnly);

/** One of two records; `object` says which. Its sums need that record's own schema. */
const eitherRecord = ([first, other]: readonly z.core.SomeType[]): JsonSchema => {
  if (!(first instanceof z.ZodObject && other instanceof z.ZodObject))
    throw new TypeError('a response can be a choice between at most two objects');
  const [then, otherwise] = [shapeOf(first), shapeOf(other)];
  return {
    if: shapeOf(first.pick({ object: true }).loose()),
    then: { $ref: then.$ref },
    else: { $ref: otherwise.$ref },
    definitions: Object.assign({}, then.definitions, otherwise.definitions),
  };
};

const shapeOnly = (json: JsonSchema): void => {
  for (const key of [
    'pattern',
    'format',
    'enum',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'propertyNames',
    'description',
    'examples',
  ] as const)
    delete json[key];
  // what is left of a reference with a description: draft 7 has no other keyword beside `$ref`
  const [reference, ...others] = json.allOf ?? [];
  if (reference?.$ref !== undefined && others.length === 0) {
    delete json.allOf;
    json.$ref = reference.$ref;
  }
  // the variants of an object are written as they are: finding out which one it is costs more
  delete json.oneOf;
};
