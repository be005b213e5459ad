/** The values that JSON has without quotes. */
type UnquotedType = 'int' | 'number' | 'boolean';

const patterns: Readonly<Record<UnquotedType, RegExp>> = {
  int: /^-?\d{1,20}$/,
  number: /^-?\d{1,20}(\.\d{1,20})?$/,
  boolean: /^(true|false)$/,
};

const isUnquoted = (expected: string): expected is UnquotedType => expected in patterns;

/**
 * Returns the advice, a sentence to append, for a value that would be right without quotes; an
 * empty text for any other value.
 */
export const quotesAdvice = (expected: string, input: unknown): string =>
  isUnquoted(expected) && typeof input === 'string' && patterns[expected].test(input)
    ? `. Send ${input} without quotes`
    : '';

/** The same holds for an integer in a query parameter, which has quotes only if they were sent. */
export const parameterAdvice = (input: unknown): string =>
  typeof input === 'string' && /^".*"$/.test(input) ? quotesAdvice('int', input.slice(1, -1)) : '';
