import { z } from 'zod';
import { keysOf } from '../keys-of.js';
import { exampleIdOf, idNouns, idPatternOf, idPrefixes, isId, type IdKind } from '../ids/ids.js';
import { integerText } from '../integer.js';
import { isObject } from '../is-object.js';
import { currencySchema } from '../money.js';
import { described } from '../problems/described.js';
import { text } from '../text.js';
import { instantParameterSchema } from '../time.js';

/** The page size. It is parsed from text, since query parameters arrive as text. */
const limitSchema = integerText(/^([1-9]\d?|100)$/, 'must be an integer from 1 to 100').meta({
  description: '1 to 100, default 25.',
});

/** The query parameters that select a page. */
export const pageQuery = {
  limit: limitSchema.optional(),
  cursor: z
    .string()
    .max(1024, {
      error:
        'is not a cursor for this list. Send the next_cursor of the previous page, or omit it.',
    })
    .optional()
    .describe('Opaque: the `next_cursor` of the previous page.'),
};

/** The query parameters that select a page, or all lines as a file. */
export const pageOrCsvQuery = {
  format: z
    .enum(['json', 'csv'])
    .optional()
    .describe('Default `json`. `csv` has all lines, so it takes neither `limit` nor `cursor`.'),
  ...pageQuery,
};

/** The query parameters that bound when the records of a list were created. */
export const createdQuery = {
  created_from: instantParameterSchema
    .optional()
    .describe('Includes this instant. Not together with `created_after`.'),
  created_to: instantParameterSchema
    .optional()
    .describe('Excludes this instant. Not together with `created_before`.'),
  created_after: instantParameterSchema.optional().describe('Excludes this instant.'),
  created_before: instantParameterSchema.optional().describe('Excludes this instant.'),
};

/** The same parameters, for the messages about them. */
export const createdBounds = 'created_from, created_to, created_after or created_before';

/** The query parameters that every list of records takes, unless it has an order of its own. */
export const listQuery = {
  ...pageQuery,
  sort: z
    .enum(['created_at', '-created_at'])
    .optional()
    .describe('Default `-created_at`: newest first.'),
  ...createdQuery,
};

/**
 * The query parameter of a list that is filtered by the id of a record of one of these kinds. There
 * need not be such a record.
 */
export const idFilter = (...kinds: readonly [IdKind, ...IdKind[]]) => {
  const [kind] = kinds;
  return z
    .string()
    .refine((id) => kinds.some((each) => isId(each, id)), {
      error: ({ input }) =>
        `must be an id that starts with ${kinds.map((each) => idPrefixes[each]).join(' or ')}, such as ${exampleIdOf(kind)}, but was ${described(input)}`,
      params: { code: 'invalid_format' },
    })
    .meta({
      pattern: kinds.map(idPatternOf).join('|'),
      example: exampleIdOf(kind),
      description: `Only those of this ${idNouns[kind]}.`,
    })
    .optional();
};

/** The query parameter of a list that is filtered by text, which no record has empty. */
export const textFilter = (max: number) =>
  text({ min: 1, max }).optional().describe('Only those with exactly this text.');

/** The query parameter of a list that is filtered by one of a few values of a field. */
export const choiceFilter = <Choice extends string>(field: string, choices: readonly Choice[]) =>
  z.enum(choices).optional().describe(`Only those with this ${field}.`);

/** The query parameter of a list that is filtered by currency. */
export const currencyFilter = currencySchema
  .optional()
  .describe('Only those in this currency: ISO 4217, in any case.');

/**
 * A list's parameters, and how they find documents. Apart from the parameters that every list
 * takes, each one filters by the field of the same name, unless `compared` says otherwise.
 */
export interface ListSpec {
  readonly query: z.ZodObject;
  /** The fields that order the list, with a total order; default: by creation. */
  readonly order?: readonly string[];
  /**
   * The field and the value that a parameter is compared with; null when it is compared with none.
   */
  readonly compared: Readonly<Record<string, ((value: string) => Comparison) | null>>;
  /**
   * The indexes, the most selective first. Each serves filters by all fields of `by` and by any of
   * `lowCardinality`, which have few values. It skips records that lack one of `sparse`, which are
   * fields of `by` that most records lack.
   */
  readonly indexes: readonly {
    readonly by: readonly string[];
    readonly lowCardinality: readonly string[];
    readonly sparse?: readonly string[];
  }[];
}
type Comparison = readonly [field: string, value: string | boolean];

/**
 * Returns the fields and values that a list's documents are compared with, in the query's order.
 */
export const comparisonsOf = (
  { query: { shape }, compared }: ListSpec,
  query: Readonly<Record<string, string | undefined>>,
): readonly Comparison[] =>
  Object.keys(shape).flatMap((parameter) => {
    const value = query[parameter];
    const comparison = compared[parameter];
    if (value === undefined || parameter in listQuery || comparison === null) return [];
    return [comparison?.(value) ?? [parameter, value]];
  });

/** The indexes of a list that is filtered by affiliate, program, status and currency. */
export const byPayee = [
  { by: ['affiliate_id'], lowCardinality: ['program_id', 'status', 'currency'] },
  { by: ['affiliate_id'], lowCardinality: [] },
  { by: ['program_id'], lowCardinality: ['status', 'currency'] },
  { by: ['program_id'], lowCardinality: [] },
  { by: [], lowCardinality: ['status', 'currency'] },
  { by: [], lowCardinality: [] },
] as const satisfies ListSpec['indexes'];

/** Whether a list is bounded by when its records were created. */
export const isBoundedByCreation = (
  query: Readonly<{ [Bound in keyof typeof createdQuery]?: unknown }>,
): boolean => keysOf(createdQuery).some((bound) => query[bound] !== undefined);

/** Query parameters of any type: a rule about several of them is checked even if one is wrong. */
type UncheckedQuery = Readonly<Record<string, unknown>>;

/** The arguments of a `refine` that refuses a parameter because of others. */
export const refusing = (
  parameter: string,
  isRefused: (query: UncheckedQuery) => boolean,
  { code, error }: { readonly code: string; readonly error: string },
) => {
  const isAccepted = (query: UncheckedQuery): boolean => !isRefused(query);
  const when = ({ value }: { readonly value: unknown }): boolean => isObject(value);
  const refusal = { path: [parameter], error, params: { code }, when };
  return [isAccepted, refusal] as const;
};

/** The query of a list that takes `createdQuery`: it has at most one bound at each end. */
export const withCreatedBounds = <Schema extends z.ZodObject>(schema: Schema): Schema =>
  schema
    .refine(...refusingBoth('created_from', 'created_after'))
    .refine(...refusingBoth('created_to', 'created_before'));

const refusingBoth = (bound: string, other: string) =>
  refusing(bound, (query) => query[bound] !== undefined && query[other] !== undefined, {
    code: `with_${other}`,
    error: `cannot be combined with ${other}. Send only one of them`,
  });

/** The query of a list that takes these parameters besides `listQuery`. */
export const listQueryWith = <Parameters extends z.ZodRawShape>(parameters: Parameters) =>
  withCreatedBounds(z.strictObject({ ...listQuery, ...parameters }));

export const listQuerySchema = listQueryWith({});
export const pageQuerySchema = z.strictObject(pageQuery);
