import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { positionPattern } from '../ids/position.js';
import { entryKindSchema } from './entry.record.js';
import { payableOnSchema, recordCurrencySchema } from '../shared/record-fields.js';
import { sumSchema } from '../money.js';
import { daySchema, instantSchema } from '../time.js';
import type { AggregateSpec, EventsOf } from '../shared/aggregate.js';
import { claimedAppendSchema } from '../shared/claimed-append.js';

/**
 * The event that caused an event of a balance. In a log to which `ops copy` copied it, its position
 * differs, and its stream and revision identify it.
 */
const sourceSchema = z.strictObject({
  log_id: z.string().describe('The log of the position.'),
  position: z.string().regex(new RegExp(positionPattern)).describe('Its position in that log.'),
  event_id: z.string().describe('Its UUID; the `caused_by` of the entry is made from it.'),
  stream: z.string().describe('The stream that has it.'),
  revision: z.int().min(0).describe('Its revision in the stream, from 0.'),
});
export type SourceCheckpoint = z.infer<typeof sourceSchema>;

/** The open entries of one bucket with the numbers `from` to `to`: how many, and their sum. */
const rangeSchema = z.strictObject({
  from: z.int().min(1).describe('The number of its first entry.'),
  to: z.int().min(1).describe('The number of its last entry.'),
  amount: sumSchema.describe('Their sum, in minor units.'),
  count: z.int().min(1).describe('How many entries it has; others may lie between them.'),
  sealed: z
    .literal(true)
    .optional()
    .describe(
      'The next entry of the bucket starts another range: a payout took or returned other entries.',
    ),
});
export const bucketSchema = z.strictObject({
  payable_on: payableOnSchema,
  ranges: z.array(rangeSchema).min(1).describe('Its entries, by their numbers.'),
});
export type StoredBucket = z.infer<typeof bucketSchema>;

/** The state of a balance, without its buckets, between two chapters. */
const carriedStateSchema = z.strictObject({
  number: z.int().min(0).describe('Of the last entry.'),
  payouts: z.int().min(0).describe('How many payouts have been reserved so far.'),
  through: sourceSchema.nullable().describe('The last event posted.'),
  posted_at: instantSchema.nullable().describe('Of the last event that has one.'),
  chain: z.string().describe('The head of the hash chain.'),
  in_flight: z
    .record(
      z.string(),
      z.strictObject({ amount: sumSchema, chapter: z.int().min(0), revision: z.int().min(0) }),
    )
    .describe('Payouts that are neither settled nor released, with their reservations.'),
  earned: sumSchema,
  adjusted: sumSchema,
  paid: sumSchema,
});
export type CarriedState = z.infer<typeof carriedStateSchema>;

const about = {
  balance_id: idSchema('balance').describe('The hash chain starts with its SHA-256.'),
  affiliate_id: idSchema('affiliate').describe('The affiliate of the balance.'),
  program_id: programIdSchema.describe('The program of the affiliate.'),
  currency: recordCurrencySchema,
};

const sourceOf = sourceSchema.describe('The event that caused it.');
const payoutId = idSchema('payout').describe('The payout that took these entries.');
const chain = z
  .string()
  .describe('SHA-256 of the `chain` before it and of its own data: see docs/ledger.md.');

/** The end of a payout, as posted to its balance. */
const ended = {
  payout_id: payoutId,
  amount: sumSchema.describe('The amount of the payout, in minor units.'),
  source: sourceOf,
  posted_at: instantSchema.describe('The log time at the source.'),
  lifted: z
    .literal(true)
    .optional()
    .describe('Its source was skipped at first, so it does not say how far posting has got.'),
  chain,
};

const events = {
  'balance.opened': z.strictObject({
    ...about,
    chapter: z.int().min(0),
    state: carriedStateSchema.describe('At the end of the previous chapter; empty in chapter 0.'),
    carried: z.int().min(0).describe('How many `balance.carried` events follow.'),
  }),
  'balance.carried': z.strictObject({
    ...about,
    buckets: z
      .array(bucketSchema)
      .describe('Some of those that were open at the end of the previous chapter.'),
  }),
  'balance.posted': z.strictObject({
    ...about,
    number: z.int().min(1).describe('The number of the entry within the balance.'),
    kind: entryKindSchema,
    amount: z.int().describe('In minor units; negative if less is owed.'),
    payable_on: payableOnSchema,
    conversion_id: idSchema('conversion').nullable().describe('Null for an adjustment.'),
    adjustment_id: idSchema('adjustment').nullable().describe('Null for a conversion.'),
    description: z.string().nullable().describe('Of the adjustment; null for a conversion.'),
    source: sourceOf,
    posted_at: instantSchema.describe('The log time at the source.'),
    chain,
  }),
  'balance.reserved': z.strictObject({
    ...about,
    payout_id: payoutId,
    payout_number: z.int().min(1).describe('The number of the payout within the balance.'),
    until: daySchema.describe('It takes entries that were payable on or before this day (UTC).'),
    buckets: z.array(bucketSchema).min(1).describe('The entries that the payout takes.'),
    amount: sumSchema.describe('The amount of the payout, in minor units.'),
    entry_count: z.int().min(1).describe('How many entries it takes.'),
    append: claimedAppendSchema.describe('The exact `payout.created` event.'),
    chain,
  }),
  'balance.settled': z.strictObject({ ...about, ...ended }),
  'balance.released': z.strictObject({
    ...about,
    ...ended,
    buckets: z.array(bucketSchema).min(1).describe('The entries that are open again.'),
    was: z.enum(['open', 'paid']).describe('`open`: it was not settled before.'),
  }),
  'balance.closed': z.strictObject({ ...about, state: carriedStateSchema }),
};
export type BalanceEvent = EventsOf<typeof events>;

/**
 * Stream `refledger.balance-<id>-<chapter>`: what an account owes an affiliate in one currency. It
 * is the only place from which money can ever be taken, and everything else follows from it.
 */
export const balance = {
  stream: ['balance', 'text'],
  events,
} as const satisfies AggregateSpec;
