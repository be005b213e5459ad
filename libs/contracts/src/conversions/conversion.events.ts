import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import {
  conversionSchema,
  conversionStatuses,
  saleDetails,
  type ConversionRecord,
} from './conversion.record.js';
import {
  commissionSchema,
  commissionUnder,
  noCommission,
  termsInForceSchema,
} from '../shared/commission.js';
import { metadataRecordSchema } from '../text.js';
import { daySchema, instantSchema } from '../time.js';
import { keysOf } from '../keys-of.js';
import {
  type CompletedEvent,
  type DerivedMembers,
  type EventsOf,
  type PublicAggregateSpec,
} from '../shared/aggregate.js';

/**
 * The fields of a conversion's record that can change. Amounts are in the minor unit of
 * `sale_currency`. A field that has its default is not recorded, since a sale is recorded most.
 */
const conversionFieldsSchema = z.strictObject({
  status: z.enum(conversionStatuses).default('pending'),
  sale_amount: z.int().min(0),
  refunded_amount: z.int().min(0).default(0),
  commission_amount: z.int().min(0).default(0),
  commission: commissionSchema.default(noCommission),
  reason: z.string().nullable().default(null),
  metadata: metadataRecordSchema.default({}),
  payout_id: conversionSchema.shape.payout_id.default(null),
});
export type ConversionFields = z.infer<typeof conversionFieldsSchema>;

const about = {
  conversion_id: idSchema('conversion'),
  affiliate_id: idSchema('affiliate'),
  program_id: programIdSchema,
  sale_currency: z.string(),
  occurred_at: instantSchema,
  payable_on: daySchema,
  ...saleDetails,
};

/**
 * The basis of the decision on a new conversion. It is recorded once, and nothing looks it up
 * again.
 */
const basisSchema = z.strictObject({
  reported_occurred_at: instantSchema
    .nullable()
    .default(null)
    .describe('as it was sent; null if it was not'),
  terms: termsInForceSchema.nullable().default(null),
  first_occurred_at: instantSchema
    .nullable()
    .default(null)
    .describe(
      "when the customer's first sale occurred; null if this is the first, or names no customer",
    ),
});
export type ConversionBasis = z.infer<typeof basisSchema>;

const changed = z.strictObject({
  ...about,
  before: conversionFieldsSchema,
  after: conversionFieldsSchema,
  reason: z
    .string()
    .nullable()
    .optional()
    .describe('the one that was given with this change; absent if the program approved it'),
  terms: termsInForceSchema
    .optional()
    .describe('the terms that the conversion took with this change, which it was recorded without'),
});

/** The data recorded after a payout that has a commission of this conversion among its lines. */
const paidStatus = z.strictObject({
  ...about,
  payout_id: idSchema('payout'),
  payout_number: z.int().min(1).describe('the number of the payout within its balance'),
  amount: z
    .int()
    .min(1)
    .describe("the sum of the conversion's lines in the payout, in the minor unit of its currency"),
  before: conversionFieldsSchema,
  after: conversionFieldsSchema,
});
/** A payout, and the part of it that belongs to one conversion. */
export type PaidPart = Pick<z.infer<typeof paidStatus>, 'payout_id' | 'payout_number' | 'amount'>;

const events = {
  'conversion.created': z.strictObject({
    ...about,
    basis: basisSchema,
    // not by default `noCommission`: see `derivedMembers`
    after: conversionFieldsSchema.extend({ commission: commissionSchema }),
  }),
  'conversion.updated': changed,
  'conversion.approved': changed,
  'conversion.rejected': changed,
  'conversion.refunded': changed,
  'conversion.paid': paidStatus,
  'conversion.unpaid': paidStatus,
};
export type ConversionEvent = EventsOf<typeof events>;

/**
 * A sale occurred when it was reported to, or when it was recorded. A new one earns what its terms
 * say, unless they say why not.
 */
const derivedMembers = ({ type, data, metadata }: CompletedEvent): DerivedMembers => {
  // the decoding boundary: only `conversion.created` has a basis
  const { reported_occurred_at = null, terms = null } = (data['basis'] ??
    {}) as Partial<ConversionBasis>;
  const derived = { occurred_at: reported_occurred_at ?? metadata.recorded_at };
  if (type !== 'conversion.created') return { data: derived };
  const commission = terms === null ? noCommission : commissionUnder(terms, 'applied');
  return { data: derived, after: { commission } };
};

/** Stream `refledger.conversion-<id>`. */
export const conversion = {
  stream: ['conversion'],
  events,
  idMember: 'conversion_id',
  derived: derivedMembers,
  kinds: keysOf(events),
  record: conversionSchema,
  topic: 'conversions',
  partitionedBy: 'affiliate',
  partitionKey: ({ affiliate_id }: ConversionRecord) => affiliate_id,
} as const satisfies PublicAggregateSpec;
