import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { positionPattern } from '../ids/position.js';
import { entryKinds } from '../records/entry.record.js';
import { daySchema, instantSchema } from '../time.js';
import type { AggregateSpec, EventsOf } from './aggregate.js';
import { claimedAppendSchema } from './claimed-append.js';

/**
 * A sum in the minor unit of the balance's currency, as decimal text: it may exceed 2^53, and the
 * hash chain covers it (RFC 8785 numbers are doubles).
 */
export const sumSchema = z.string().regex(/^(0|-?[1-9]\d*)$/);

/**
 * The event that caused an event of a balance. In a log to which `ops copy` copied it, its position
 * differs, and its stream and revision identify it.
 */
const sourceSchema = z.strictObject({
  log_id: z.string(),
  position: z.string().regex(new RegExp(positionPattern)),
  event_id: z.string(),
  stream: z.string(),
  revision: z.int().min(0),
});
export type SourceCheckpoint = z.infer<typeof sourceSchema>;

/** The open entries of one bucket with the numbers `from` to `to`: how many, and their sum. */
const rangeSchema = z.strictObject({
  from: z.int().min(1),
  to: z.int().min(1),
  amount: sumSchema,
  count: z.int().min(1),
  sealed: z
    .literal(true)
    .optional()
    .describe(
      'the next entry of the bucket begins another range: a payout took or returned other entries',
    ),
});
export const bucketSchema = z.strictObject({
  payable_on: daySchema,
  ranges: z.array(rangeSchema).min(1),
});
export type StoredBucket = z.infer<typeof bucketSchema>;

/** The state of a balance, without its buckets, between two chapters. */
const carriedStateSchema = z.strictObject({
  number: z.int().min(0).describe('of the last entry'),
  payouts: z.int().min(0).describe('how many payouts have been reserved so far'),
  through: sourceSchema.nullable().describe('the last event posted'),
  posted_at: instantSchema.nullable().describe('of the last event that has one'),
  chain: z.string().describe('the head of the hash chain'),
  in_flight: z
    .record(
      z.string(),
      z.strictObject({ amount: sumSchema, chapter: z.int().min(0), revision: z.int().min(0) }),
    )
    .describe('payouts that are neither settled nor released, with their reservations'),
  earned: sumSchema,
  adjusted: sumSchema,
  paid: sumSchema,
});
export type CarriedState = z.infer<typeof carriedStateSchema>;

const about = {
  balance_id: idSchema('balance'),
  affiliate_id: idSchema('affiliate'),
  program_id: programIdSchema,
  currency: z.string(),
};

/** The end of a payout, as posted to its balance. */
const ended = {
  payout_id: idSchema('payout'),
  amount: sumSchema,
  source: sourceSchema,
  posted_at: instantSchema.describe('the log time at the source'),
  lifted: z
    .literal(true)
    .optional()
    .describe('its source was skipped at first, so it does not say how far posting has got'),
  chain: z.string(),
};

const events = {
  'balance.opened': z.strictObject({
    ...about,
    chapter: z.int().min(0),
    state: carriedStateSchema.describe('at the end of the previous chapter; empty in chapter 0'),
    carried: z.int().min(0).describe('how many `balance.carried` events follow'),
  }),
  'balance.carried': z.strictObject({
    ...about,
    buckets: z
      .array(bucketSchema)
      .describe('some of those that were open at the end of the previous chapter'),
  }),
  'balance.posted': z.strictObject({
    ...about,
    number: z.int().min(1),
    kind: z.enum(entryKinds),
    amount: z.int(),
    payable_on: daySchema,
    conversion_id: idSchema('conversion').nullable(),
    adjustment_id: idSchema('adjustment').nullable(),
    description: z.string().nullable(),
    source: sourceSchema,
    posted_at: instantSchema.describe('the log time at the source'),
    chain: z.string(),
  }),
  'balance.reserved': z.strictObject({
    ...about,
    payout_id: idSchema('payout'),
    payout_number: z.int().min(1).describe('the number of the payout within the balance'),
    until: daySchema,
    buckets: z.array(bucketSchema).min(1).describe('what the payout takes'),
    amount: sumSchema,
    entry_count: z.int().min(1),
    append: claimedAppendSchema.describe('the exact `payout.created` that it stands for'),
    chain: z.string(),
  }),
  'balance.settled': z.strictObject({ ...about, ...ended }),
  'balance.released': z.strictObject({
    ...about,
    ...ended,
    buckets: z.array(bucketSchema).min(1).describe('what is open again'),
    was: z.enum(['open', 'paid']).describe('`open`: it was not settled before'),
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
