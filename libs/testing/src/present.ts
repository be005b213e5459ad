/**
 * Returns a value that a test needs, such as the first row of a list. Throws at the caller's line if it
 * is missing.
 */
export const present = <T>(value: T): NonNullable<T> => {
  if (value !== undefined && value !== null) return value;
  const error = new Error(`Expected a value, but got ${String(value)}.`);
  Error.captureStackTrace(error, present);
  throw error;
};
