/** JSON in a canonical form, with fields sorted by name. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Whether two values are the same in JSON. */
export const same = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);
