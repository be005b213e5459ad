import { jsonSchemaOf } from './json-schema.js';
import type { JsonSchema } from './json-schema.js';
import { operations } from './operations.js';
import type { OperationId, OperationSpec } from './operations.js';

/**
 * Returns the JSON Schema (draft 7, self-contained) of an answer, for compiling a serialiser;
 * undefined when that answer has no body. It has only the keywords that shape the text, since
 * answers are not validated.
 */
export const answerJsonSchema = (id: OperationId, status: number): JsonSchema | undefined => {
  const { answers }: OperationSpec = operations[id];
  const answer = answers[status];
  return answer ? jsonSchemaOf(answer, 'draft-07', shapeOnly) : undefined;
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
};
