import { visibleText } from '../visible-text.js';

/**
 * Names a value from a client in a message. An array or object is not shown: it may be nested more
 * deeply than `JSON.stringify` can follow.
 */
export const described = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
};

/** Returns the start of the text in quotes, with lone surrogates and what is invisible escaped. */
export const quoted = (text: string): string =>
  visibleText(JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text));
