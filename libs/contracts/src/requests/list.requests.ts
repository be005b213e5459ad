import { z } from 'zod';
import { adjustmentStatuses } from '../records/adjustment.record.js';
import { affiliateStatuses } from '../records/affiliate.record.js';
import { conversionStatuses } from '../records/conversion.record.js';
import { entryKinds } from '../records/entry.record.js';
import { programStatuses } from '../records/program.record.js';
import { currencySchema, normaliseCurrency } from '../money.js';
import { text } from '../text.js';
import { dayParameterSchema, instantParameterSchema } from '../time.js';
import { targetUrlSchema } from './webhook.requests.js';

/** The page size. It is parsed from text, since query parameters arrive as text. */
const limitSchema = z
  .string()
  .regex(/^([1-9]\d?|100)$/, { error: 'must be an integer from 1 to 100' })
  .meta({ description: '1 to 100, default 25.' });

/** The query parameters that select a page. */
export const pageQuery = {
  limit: limitSchema.optional(),
  cursor: z
    .string()
    .max(1024, {
      error:
        'is not a cursor for this list. Send the next_cursor of the previous page, or leave it out.',
    })
    .optional()
    .describe('Opaque: the `next_cursor` of the previous page.'),
};

/** The query parameters that every list of records takes. */
const listQuery = {
  ...pageQuery,
  sort: z
    .enum(['created_at', '-created_at'])
    .optional()
    .describe('Default `-created_at`: newest first.'),
  created_after: instantParameterSchema.optional().describe('Excludes this instant.'),
  created_before: instantParameterSchema.optional().describe('Excludes this instant.'),
};

const idFilter = text({ max: 100 }).optional();

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
   * `lowCardinality`, which have few values. It leaves out records that lack one of `sparse`, which
   * are fields of `by` that most records lack.
   */
  readonly indexes: readonly {
    readonly by: readonly string[];
    readonly lowCardinality: readonly string[];
    readonly sparse?: readonly string[];
  }[];
}
type Comparison = readonly [field: string, value: string | boolean];

/** The list of conversions. */
export const conversionList = {
  query: z.strictObject({
    ...listQuery,
    affiliate_id: idFilter,
    program_id: idFilter,
    status: z.enum(conversionStatuses).optional(),
    external_transaction_id: text({ max: 255 }).optional(),
    customer_id: text({ max: 255 }).optional(),
    payout_id: idFilter,
    sale_currency: currencySchema.optional(),
  }),
  compared: {
    external_transaction_id: null,
    sale_currency: (code) => ['sale_currency', normaliseCurrency(code)],
  },
  indexes: [
    { by: ['customer_id', 'affiliate_id'], lowCardinality: [], sparse: ['customer_id'] },
    { by: ['customer_id'], lowCardinality: [], sparse: ['customer_id'] },
    // a payout belongs to one affiliate and currency, so these have few values as well
    {
      by: ['payout_id'],
      lowCardinality: ['affiliate_id', 'program_id', 'status', 'sale_currency'],
      sparse: ['payout_id'],
    },
    { by: ['payout_id'], lowCardinality: [], sparse: ['payout_id'] },
    { by: ['affiliate_id'], lowCardinality: ['program_id', 'status', 'sale_currency'] },
    { by: ['affiliate_id'], lowCardinality: [] },
    { by: ['program_id'], lowCardinality: ['status', 'sale_currency'] },
    { by: ['program_id'], lowCardinality: [] },
    { by: [], lowCardinality: ['status', 'sale_currency'] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;

/** Normalises an e-mail address for comparison. Documents hold it as `email_key`. */
export const emailKey = (email: string): string => email.toLowerCase();

/** The list of affiliates. */
export const affiliateList = {
  query: z.strictObject({
    ...listQuery,
    program_id: idFilter,
    status: z.enum(affiliateStatuses).optional(),
    email: text({ max: 254 }).optional().describe('Compared case-insensitively.'),
  }),
  compared: { email: (email) => ['email_key', emailKey(email)] },
  indexes: [
    { by: ['email_key'], lowCardinality: [] },
    { by: ['program_id'], lowCardinality: ['status'] },
    { by: ['status'], lowCardinality: [] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;

/** The list of programs. */
export const programList = {
  query: z.strictObject({ ...listQuery, status: z.enum(programStatuses).optional() }),
  compared: {},
  indexes: [
    { by: ['status'], lowCardinality: [] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;

/** The list of adjustments. */
export const adjustmentList = {
  query: z.strictObject({
    ...listQuery,
    affiliate_id: idFilter,
    program_id: idFilter,
    currency: currencySchema.optional(),
    status: z.enum(adjustmentStatuses).optional(),
  }),
  compared: { currency: (code) => ['currency', normaliseCurrency(code)] },
  indexes: [
    { by: ['affiliate_id'], lowCardinality: ['program_id', 'status', 'currency'] },
    { by: ['affiliate_id'], lowCardinality: [] },
    { by: ['program_id'], lowCardinality: ['status', 'currency'] },
    { by: ['program_id'], lowCardinality: [] },
    { by: [], lowCardinality: ['status', 'currency'] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;

/** The query parameter of everything that shows a balance. */
export const onQuery = {
  on: dayParameterSchema
    .optional()
    .describe(
      'The day (UTC) that separates payable from held: today, which is the default, or a later day. With `as_of`, today is the day of that time or position.',
    ),
};

/** The list of balances. */
export const balanceList = {
  query: z.strictObject({
    ...listQuery,
    affiliate_id: idFilter,
    program_id: idFilter,
    currency: currencySchema.optional(),
    open: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true` lists only balances with an amount that is held, payable or in a payout.'),
    ...onQuery,
  }),
  compared: {
    currency: (code) => ['currency', normaliseCurrency(code)],
    open: (value) => ['is_open', value === 'true'],
    on: null,
  },
  indexes: [
    // an affiliate has one balance per currency
    { by: ['affiliate_id'], lowCardinality: [] },
    { by: ['program_id'], lowCardinality: ['currency', 'is_open'] },
    { by: ['program_id'], lowCardinality: [] },
    { by: [], lowCardinality: ['currency', 'is_open'] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;

/**
 * The list of entries. Their order is that of the log. It is not always that of their times, since
 * clocks differ, so no index could serve time bounds.
 */
export const entryList = {
  query: z.strictObject({
    ...pageQuery,
    sort: z
      .enum(['position', '-position'])
      .optional()
      .describe('Default `-position`: newest first.'),
    affiliate_id: idFilter,
    program_id: idFilter,
    currency: currencySchema.optional(),
    kind: z.enum(entryKinds).optional(),
    conversion_id: idFilter,
    adjustment_id: idFilter,
  }),
  order: ['position'],
  compared: { currency: (code) => ['currency', normaliseCurrency(code)] },
  indexes: [
    // an adjustment has at most two entries, and a conversion no more than it has revisions
    { by: ['adjustment_id'], lowCardinality: [], sparse: ['adjustment_id'] },
    { by: ['conversion_id'], lowCardinality: [] },
    { by: ['affiliate_id'], lowCardinality: ['program_id', 'currency', 'kind'] },
    { by: ['affiliate_id'], lowCardinality: [] },
    { by: ['program_id'], lowCardinality: ['currency', 'kind'] },
    { by: ['program_id'], lowCardinality: [] },
    { by: [], lowCardinality: ['currency', 'kind'] },
    { by: [], lowCardinality: [] },
  ],
} as const satisfies ListSpec;

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

export const listQuerySchema = z.strictObject(listQuery);
export const pageQuerySchema = z.strictObject(pageQuery);
export const unsubscribeQuerySchema = z.strictObject({ target_url: targetUrlSchema });
