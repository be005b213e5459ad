import { toJson, visibleText } from '@refledger/contracts';

/**
 * A JSON value for human readers. Plain words are unquoted; text that could mislead (empty, or with
 * spaces or control characters) is quoted, and what is invisible in it is escaped.
 */
export const showValue = (value: unknown): string => {
  if (value === null) return 'none';
  if (typeof value === 'string' && isPlain(value)) return value;
  return value === undefined ? 'nothing' : visibleText(toJson(value));
};

/** A string of digits must differ from a number; `none` stands for null, `gone` for no field. */
const isPlain = (text: string): boolean =>
  /^[\w@.:/+%=?&#~[\]-]+$/.test(text) && !/^(-?\d+(\.\d+)?|none|gone|true|false)$/.test(text);
