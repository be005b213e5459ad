import { jsonSchemaOf, type JsonSchema } from './json-schema.js';
import { operations, type OperationId, type OperationSpec } from '../operations/operations.js';

/**
 * Returns the JSON Schema (draft 7, self-contained) of a response, for compiling a serialiser;
 * undefined when that response has no body. It has only the keywords that shape the text, since
 * responses are not validated.
 */
export const responseJsonSchema = (id: OperationId, status: number): JsonSchema | undefined => {
  const { responses }: OperationSpec = operations[id];
  const response = responses[status];
  return response ? jsonSchemaOf(response, 'draft-07', shapeOnly) : undefined;
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
  // the variants of an object are written as they are: finding out which one it is costs more
  delete json.oneOf;
};
