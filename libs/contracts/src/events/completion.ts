import { z } from 'zod';
import { isObject } from '../is-object.js';

type Completion = (value: unknown) => unknown;

/**
 * Returns the function that supplies the defaults of a schema, even in nested objects; undefined
 * when it has none. Unlike parsing, it checks nothing, so it costs one comparison per default.
 */
export const completionOf = (schema: unknown): Completion | undefined => {
  if (schema instanceof z.ZodDefault)
    return (value) => (value === undefined ? schema.def.defaultValue : value);
  if (!(schema instanceof z.ZodObject)) return undefined;
  const completions = Object.entries(schema.shape).flatMap(([field, of]) => {
    const completion = completionOf(of);
    return completion === undefined ? [] : [{ field, completion }];
  });
  return completions.length === 0 ? undefined : (value) => completed(value, completions);
};

const completed = (
  value: unknown,
  completions: readonly { readonly field: string; readonly completion: Completion }[],
): unknown => {
  if (!isObject(value)) return value;
  let result = value;
  for (const { field, completion } of completions) {
    const before = value[field];
    const after = completion(before);
    if (after !== before) result = { ...result, [field]: after };
  }
  return result;
};
