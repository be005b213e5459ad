import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isObject } from '../is-object.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns the function that supplies the defaults of a schema, even in nested objects; undefined
 * when it has none. Unlike parsing, it checks nothing, so it costs one comparison per default.
 */
export const completionOf = (schema: unknown): ((value: Members) => Members) | undefined => {
  if (!(schema instanceof z.ZodObject)) return undefined;
  const completions = Object.entries<unknown>(schema.shape).flatMap(([field, of]) => {
    const completion = valueCompletionOf(of);
    return completion === undefined ? [] : [{ field, completion }];
  });
  return completions.length === 0 ? undefined : (value) => completed(value, completions);
};

type Completion = (value: unknown) => unknown;

const valueCompletionOf = (schema: unknown): Completion | undefined => {
  if (schema instanceof z.ZodDefault)
    return (value) => (value === undefined ? schema.def.defaultValue : value);
  const complete = completionOf(schema);
  return complete && ((value) => (isObject(value) ? complete(value) : value));
};

const completed = (
  value: Members,
  completions: readonly { readonly field: string; readonly completion: Completion }[],
): Members => {
  let result: Record<string, unknown> | undefined;
  for (const { field, completion } of completions) {
    const before = value[field];
    const after = completion(before);
    if (after !== before) (result ??= { ...value })[field] = after;
  }
  return result ?? value;
};

type Omission = (value: Members) => Members;

/**
 * Returns the function that omits what `completionOf` supplies: each field, even in nested objects,
 * that has the default of its schema. Undefined when the schema has none.
 */
export const omissionOf = (schema: unknown): Omission | undefined => {
  if (!(schema instanceof z.ZodObject)) return undefined;
  const fields = Object.entries<unknown>(schema.shape);
  const defaults = new Map(
    fields.flatMap(([field, of]) =>
      of instanceof z.ZodDefault ? [[field, of.def.defaultValue] as const] : [],
    ),
  );
  const nested = new Map(fields.map(([field, of]) => [field, omissionOf(of)] as const));
  if (defaults.size === 0 && [...nested.values()].every((omission) => omission === undefined))
    return undefined;
  return (value) => {
    const result: Record<string, unknown> = {};
    for (const [field, inner] of Object.entries(value)) {
      if (defaults.has(field) && isDeepStrictEqual(inner, defaults.get(field))) continue;
      const omission = nested.get(field);
      result[field] = omission !== undefined && isObject(inner) ? omission(inner) : inner;
    }
    return result;
  };
};
