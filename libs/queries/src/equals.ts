import type { Filter } from '@refledger/read-store';

/** Filters for equality with each given value. */
export const equals = (fields: Readonly<Record<string, string | boolean | undefined>>): Filter[] =>
  Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, equals: value }],
  );
