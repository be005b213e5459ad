import { z } from 'zod';

/** Control characters and lone surrogates, which can break a log line, a header or a database. */
const unprintable = /[\p{Cc}\p{Cs}]/u;

/**
 * Characters that change the direction of the text after them, so that an amount after a name may
 * read as another amount.
 */
const reordering = /[\u202a-\u202e\u2066-\u2069]/;

/** A visible character. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

/** Well-formed Unicode without control characters. */
const printable = z.string().refine((value) => !unprintable.test(value), {
  error: 'must be well-formed Unicode without control characters',
  params: { code: 'invalid_format' },
  abort: true,
});

const readable = printable.refine((value) => !reordering.test(value), {
  error:
    'must not have characters that change the direction of text (U+202A to U+202E, U+2066 to U+2069)',
  params: { code: 'invalid_format' },
  abort: true,
});

const notInvisible = [
  (value: string): boolean => visible.test(value),
  { error: 'must have a visible character', params: { code: 'invisible' } },
] as const;

/**
 * The same rules for JSON Schema, where many tools do not support `\p`. UTF-8 cannot carry lone
 * surrogates.
 */
const printablePattern = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
const readablePattern = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$';

/** Counts characters as people and JSON Schema do: an emoji outside the BMP is one character. */
const characters = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/**
 * Whether the text has `min` to `max` characters. It counts them only if the number of UTF-16
 * units, one or two per character, does not settle it.
 */
const isWithin = (text: string, min: number, max: number): boolean => {
  if (text.length >= 2 * min && text.length <= max) return true;
  const count = characters(text);
  return count >= min && count <= max;
};

/** The minimum (0 when absent) and maximum number of characters. */
export interface TextLimits {
  readonly min?: number;
  readonly max: number;
}

/**
 * The schema of text from a client that programs compare or keep, as it was sent: filters, which
 * must find what was stored earlier, and metadata.
 */
export const text = (limits: TextLimits) =>
  limited(printable, limits).meta({ pattern: printablePattern, ...lengths(limits) });

/**
 * The schema of text from a client that people read, on a list or in a file. It does not reorder
 * the text around it, and it is not invisible unless it may be empty.
 */
export const readableText = (limits: TextLimits) => {
  const schema = limited(readable, limits);
  return (lengths(limits).minLength === undefined ? schema : schema.refine(...notInvisible)).meta({
    pattern: readablePattern,
    ...lengths(limits),
  });
};

const limited = (schema: z.ZodString, { min = 0, max }: TextLimits) =>
  schema.refine((value) => isWithin(value, min, max), {
    error:
      min > 0 ? `must have ${min} to ${max} characters` : `must have at most ${max} characters`,
    params: { code: 'wrong_length' },
    abort: true,
  });

const lengths = ({ min = 0, max }: TextLimits): { minLength?: number; maxLength: number } => ({
  ...(min > 0 && { minLength: min }),
  maxLength: max,
});

/**
 * A name: 1 to 200 characters, not counting leading and trailing spaces, which are trimmed when it
 * is stored.
 */
export const nameSchema = readable
  .refine((name) => isWithin(name.trim(), 1, 200), {
    error: 'must have 1 to 200 characters, not counting leading and trailing spaces',
    params: { code: 'wrong_length' },
    abort: true,
  })
  .refine(...notInvisible)
  .meta({
    pattern: readablePattern,
    minLength: 1,
    description: '1 to 200 characters, without the spaces around it, which are dropped.',
  });

/**
 * Metadata in a request: at most 50 pairs of text, with keys of 1 to 40 characters and values of up
 * to 500.
 */
export const metadataSchema = z
  .record(text({ min: 1, max: 40 }), text({ max: 500 }))
  .refine((pairs) => Object.keys(pairs).length <= 50, {
    error: 'must have at most 50 pairs',
    params: { code: 'too_many' },
  })
  .meta({
    maxProperties: 50,
    example: { campaign: 'spring' },
    description:
      'Your own pairs of text: at most 50, with keys of up to 40 characters and values of up to 500.',
  });
/** Metadata in a response or an event: pairs of text. */
export const metadataRecordSchema = z.record(z.string(), z.string());
/** Metadata of a record: pairs of text. */
export type Metadata = Readonly<Record<string, string>>;
