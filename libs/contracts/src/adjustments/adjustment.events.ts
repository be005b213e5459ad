import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import {
  adjustmentDetails,
  adjustmentSchema,
  adjustmentStatuses,
  type AdjustmentRecord,
} from './adjustment.record.js';
import { metadataRecordSchema } from '../text.js';
import { daySchema } from '../time.js';
import { keysOf } from '../keys-of.js';
import { type EventsOf, type PublicAggregateSpec } from '../shared/aggregate.js';

/** The fields of an adjustment's record that can change. */
const adjustmentFieldsSchema = z.strictObject({
  status: z.enum(adjustmentStatuses),
  metadata: metadataRecordSchema,
  reason: z.string().nullable(),
});
export type AdjustmentFields = z.infer<typeof adjustmentFieldsSchema>;

/** Every event holds all that the ledger needs to post it, or to post its void. */
const about = { adjustment_id: idSchema('adjustment'), ...adjustmentDetails };

const changed = z.strictObject({
  ...about,
  before: adjustmentFieldsSchema,
  after: adjustmentFieldsSchema,
});

const events = {
  'adjustment.created': z.strictObject({
    ...about,
    reported_payable_on: daySchema.nullable().describe('as it was sent; null if it was not'),
    after: adjustmentFieldsSchema,
  }),
  'adjustment.updated': changed,
  'adjustment.voided': changed,
};
export type AdjustmentEvent = EventsOf<typeof events>;

/** Stream `refledger.adjustment-<id>`. */
export const adjustment = {
  stream: ['adjustment'],
  events,
  kinds: keysOf(events),
  record: adjustmentSchema,
  topic: 'payouts',
  partitionedBy: 'affiliate',
  partitionKey: ({ affiliate_id }: AdjustmentRecord) => affiliate_id,
} as const satisfies PublicAggregateSpec;
