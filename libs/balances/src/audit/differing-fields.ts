/** Says which fields of an event of a balance differ from the values that its source gives them. */
export const differingFields = (data: object, expected: object): readonly string[] => {
  const actual = new Map<string, unknown>(Object.entries(data));
  return Object.entries(expected)
    .filter(([field, value]) => actual.get(field) !== value)
    .map(
      ([field, value]) =>
        `its ${field} is ${String(actual.get(field))}, but its source says ${String(value)}`,
    );
};
