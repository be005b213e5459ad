/** A JSON value for people: plain words as they are, everything that could mislead (spaces, control characters, an empty text) in quotes. */
export const showValue = (value: unknown): string => {
  if (value === null) return 'none';
  if (typeof value === 'string' && isPlain(value)) return value;
  return JSON.stringify(value) ?? 'nothing';
};

/** Digits in quotes would hide whether a text or a number is meant, and `none` stands for null. */
const isPlain = (text: string): boolean =>
  /^[\w@.:/+%=?&#~[\]-]+$/.test(text) && !/^(-?\d+(\.\d+)?|none|true|false)$/.test(text);
