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

/** Collects the schemas that a document refers to by name, in its components. */
export class NamedSchemas {
  private readonly named = new Map<string, unknown>();

  /** Returns the schema as the document shows it: a reference when the schema has a name. */
  schemaOf(schema: z.ZodType): JsonSchema {
    const text = JSON.stringify(jsonSchemaOf(schema));
    // renames every reference, at any depth
    const { $defs, ...json } = JSON.parse(
      text.replaceAll('"#/$defs/', '"#/components/schemas/'),
    ) as JsonSchema;
    for (const [name, definition] of Object.entries($defs ?? {})) this.named.set(name, definition);
    return json;
  }

  schemas(): object {
    return Object.fromEntries([...this.named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/**
 * Merges a plain type or null into one schema instead of `anyOf`: shorter to read and faster to
 * serialize.
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
 * Turns `example` into `examples`: OpenAPI deprecates its own `example` in favor of JSON Schema's
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
