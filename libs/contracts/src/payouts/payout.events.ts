import { z } from 'zod';
import { idSchema, programIdSchema } from '../ids/ids.js';
import { payoutDetails, payoutFields, payoutSchema, type PayoutRecord } from './payout.record.js';
import { daySchema } from '../time.js';
import { keysOf } from '../keys-of.js';
import { type EventsOf, type PublicAggregateSpec } from '../shared/aggregate.js';
import { bucketSchema } from '../balances/balance.events.js';
import { sumSchema } from '../money.js';

const payoutFieldsSchema = z.strictObject(payoutFields);
export type PayoutFields = z.infer<typeof payoutFieldsSchema>;

const about = {
  payout_id: idSchema('payout'),
  affiliate_id: idSchema('affiliate'),
  program_id: programIdSchema,
  balance_id: idSchema('balance'),
  run_id: payoutDetails.run_id,
  payout_number: z.int().min(1).describe('the number of the payout within its balance'),
  currency: z.string(),
  amount: sumSchema,
};
const buckets = z.array(bucketSchema).min(1).describe('its lines');

const changed = z.strictObject({
  ...about,
  mark: z
    .int()
    .min(1)
    .nullable()
    .describe('the number of the mark of its run that caused it; null if a request did'),
  before: payoutFieldsSchema,
  after: payoutFieldsSchema,
});
/** Holds all that the ledger needs to make its lines open again. */
const returned = z.strictObject({ ...changed.shape, buckets });

const events = {
  'payout.created': z.strictObject({
    ...about,
    buckets,
    entry_count: payoutDetails.entry_count,
    until: payoutDetails.until,
    reported_until: daySchema.nullable().describe('as it was sent; null if it was not'),
    ignore_minimum: z.boolean(),
    partial: z.boolean(),
    even_if_not_approved: z.boolean(),
    description: payoutDetails.description,
    payee_revision: payoutDetails.payee_revision,
    chain: payoutDetails.chain,
    after: payoutFieldsSchema,
  }),
  'payout.processing': changed,
  'payout.completed': changed,
  'payout.failed': returned,
  'payout.canceled': returned,
  'payout.updated': changed,
};
export type PayoutEvent = EventsOf<typeof events>;

/** Stream `refledger.payout-<id>`. */
export const payout = {
  stream: ['payout'],
  events,
  kinds: keysOf(events),
  record: payoutSchema,
  topic: 'payouts',
  partitionedBy: 'affiliate',
  partitionKey: ({ affiliate_id }: PayoutRecord) => affiliate_id,
} as const satisfies PublicAggregateSpec;
