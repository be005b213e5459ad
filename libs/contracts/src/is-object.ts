/** Whether a value is an object (or an array), so that its fields can be looked at. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
