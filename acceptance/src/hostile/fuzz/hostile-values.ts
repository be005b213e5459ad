import * as fc from 'fast-check';

/** Strings that have broken services before. */
const nastyStrings = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff x',
  '\u202e\u200b',
  '\r\nX-Injected: 1',
  '%00',
  '%zz',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e999',
  "'; DROP TABLE events; --",
  '${7*7}',
  '{{7*7}}',
  '<script>',
  '𝒳'.repeat(40),
  'é',
  'e\u0301',
  'ß',
  'İ',
  'a'.repeat(300),
  'a'.repeat(5_000),
  '\uffff',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
];

/** Any JSON value, however strange. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...nastyStrings),
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    1e21,
    2 ** 53,
    999_999_999_999,
    1_000_000_000_000,
    [],
    {},
    [[[[]]]],
    { '': '' },
    { $ne: null },
    { toString: 1, valueOf: 1, then: 1 },
  ),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

type SchemaType = 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'string' | 'null';

/** The parts of a JSON Schema from which values are generated. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}
/** Offers valid values by name. */
export interface Known {
  /**
   * Returns valid values for a field or parameter of this name, or an empty array when any value
   * will do.
   */
  (name: string): readonly string[];
}

/** Returns the schema that a reference names, or the schema itself. */
export type Resolve = (schema: Schema) => Schema;

/**
 * Generates values that a schema allows, judged by the schema alone. `known` offers valid ones by
 * the name of the field.
 */
export const rightValue = (
  given: Schema,
  resolve: Resolve,
  known: Known,
  field = '',
): fc.Arbitrary<unknown> => {
  const schema = resolve(given);
  const offered = known(field);
  if (offered.length > 0) return fc.constantFrom(...offered);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const { type } = schema;
  const alternatives =
    schema.anyOf ??
    schema.oneOf ??
    (isList(type) ? type.map((each) => ({ ...schema, type: each })) : undefined);
  if (alternatives !== undefined)
    return fc.oneof(...alternatives.map((each) => rightValue(each, resolve, known, field)));
  return rightOfType(schema, resolve, known);
};

const isList = (type: Schema['type']): type is readonly SchemaType[] => Array.isArray(type);

const rightOfType = (schema: Schema, resolve: Resolve, known: Known): fc.Arbitrary<unknown> => {
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'integer':
    case 'number':
      return rightNumber(schema);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(rightValue(schema.items ?? {}, resolve, known), {
        minLength: 1,
        maxLength: 4,
      });
    case 'object':
      return rightObject(schema, resolve, known);
    case 'string':
      return rightText(schema);
    case undefined:
    default:
      return anyValue;
  }
};

const rightNumber = ({ minimum = 0, maximum = 1e6 }: Schema): fc.Arbitrary<number> =>
  fc.integer({
    min: Math.max(minimum, Number.MIN_SAFE_INTEGER),
    max: Math.min(maximum, Number.MAX_SAFE_INTEGER),
  });

const rightText = ({ examples, minLength = 0, maxLength = 50 }: Schema): fc.Arbitrary<unknown> =>
  examples !== undefined
    ? fc.constantFrom(...examples)
    : fc.string({ minLength, maxLength: Math.min(maxLength, 300) });

/**
 * Generates a valid value with a few things wrong (fields omitted, added, or with any value), or
 * any other value.
 */
export const twistedValue = (
  given: Schema,
  resolve: Resolve,
  known: Known,
): fc.Arbitrary<unknown> => {
  const fields = Object.keys(resolve(given).properties ?? {});
  const names = fc.oneof(
    fields.length > 0 ? fc.constantFrom(...fields) : fc.constant('x'),
    fc.constantFrom(
      'id',
      'account_id',
      'revision',
      'created_at',
      '__proto__',
      'constructor',
      '',
      'ID',
    ),
    fc.string({ maxLength: 20 }),
  );
  const change = fc.record({ name: names, value: anyValue, drop: fc.boolean() });
  const changed = fc
    .tuple(rightValue(given, resolve, known), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => changes.reduce(withChange, value));
  return fc.oneof({ weight: 6, arbitrary: changed }, { weight: 1, arbitrary: anyValue });
};

const withChange = (
  value: unknown,
  { name, value: other, drop }: { name: string; value: unknown; drop: boolean },
): unknown => {
  if (typeof value !== 'object' || value === null) return other;
  const entries = Object.entries(value).filter(([key]) => key !== name);
  return Object.fromEntries(drop ? entries : [...entries, [name, other]]);
};

const rightObject = (schema: Schema, resolve: Resolve, known: Known): fc.Arbitrary<unknown> => {
  const { properties } = schema;
  if (properties === undefined)
    return fc.dictionary(
      fc.string({ minLength: 1, maxLength: 20 }),
      rightValue(
        typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {},
        resolve,
        known,
      ),
      { maxKeys: 4 },
    );
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      rightValue(property, resolve, known, name),
    ]),
  );
  return fc.record(fields, { requiredKeys: [...(schema.required ?? [])] });
};

/** Returns a value as it is written in a query or a body: text stays as it is. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
