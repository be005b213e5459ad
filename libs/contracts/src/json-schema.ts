import { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Returns the JSON Schema of a wire schema, with the definitions that it refers to. A bigint
 * becomes an integer.
 */
export const jsonSchemaOf = (
  schema: z.ZodType,
  target: 'draft-2020-12' | 'draft-07' = 'draft-2020-12',
  adapt: (json: JsonSchema) => void = () => undefined,
): JsonSchema => {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    target,
    io: 'input',
    unrepresentable: ({ zodSchema, message }) => {
      if (zodSchema._zod.def.type !== 'bigint') throw new Error(message);
      return { type: 'integer' };
    },
    override: ({ jsonSchema }) => {
      mergeNull(jsonSchema);
      exampleAsList(jsonSchema);
      plainDigits(jsonSchema);
      adapt(jsonSchema);
    },
  });
  return json;
};

/**
 * Merges a plain type or null into one schema instead of `anyOf`: shorter to read and faster to
 * serialise.
 */
const mergeNull = (json: JsonSchema): void => {
  const [plain, nothing, ...more] = json.anyOf ?? [];
  if (
    plain?.type === undefined ||
    'enum' in plain ||
    'const' in plain ||
    nothing?.type !== 'null' ||
    more.length > 0
  )
    return;
  delete json.anyOf;
  Object.assign(json, { ...plain, ...json, type: [plain.type, 'null'] });
};

/**
 * Turns `example` into `examples`: OpenAPI deprecates its own `example` in favour of JSON Schema's
 * list.
 */
const exampleAsList = (json: JsonSchema): void => {
  if (!('example' in json)) return;
  json.examples = [json.example];
  delete json.example;
};

/**
 * Replaces `\d`: it is 0 to 9 in JavaScript, but the digits of every script in other languages. No
 * pattern here has it within brackets.
 */
const plainDigits = (json: JsonSchema): void => {
  if (json.pattern !== undefined) json.pattern = json.pattern.replaceAll('\\d', '[0-9]');
};
