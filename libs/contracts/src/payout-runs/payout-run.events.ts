import { z } from 'zod';
import { idSchema, type AccountId } from '../ids/ids.js';
import {
  payoutRunDetails,
  payoutRunFields,
  payoutRunSchema,
  type PayoutRunRecord,
} from './payout-run.record.js';
import { daySchema, instantSchema } from '../time.js';
import type { EventsOf, PublicAggregateSpec } from '../shared/aggregate.js';
import { sumSchema } from '../money.js';

const payoutRunFieldsSchema = z.strictObject(payoutRunFields);
export type PayoutRunFields = z.infer<typeof payoutRunFieldsSchema>;

const about = { run_id: idSchema('run') };
const changed = z.strictObject({
  ...about,
  before: payoutRunFieldsSchema,
  after: payoutRunFieldsSchema,
});

const events = {
  'payout_run.started': z.strictObject({
    ...about,
    ...payoutRunDetails,
    reported_until: daySchema.nullable().describe('as it was sent; null if it was not'),
    after: payoutRunFieldsSchema,
  }),
  'payout_run.updated': changed,
  'payout_run.marked': z.strictObject({
    ...changed.shape,
    reason: z.string().nullable(),
    completed_at: instantSchema.nullable().describe('null unless the status is completed'),
  }),
  'payout_run.mark_applied': changed,
  'payout_run.finished': z.strictObject({
    ...changed.shape,
    totals: z.array(
      z.strictObject({ currency: z.string(), payouts: z.int().min(1), amount: sumSchema }),
    ),
  }),
};
export type PayoutRunEvent = EventsOf<typeof events>;

/** Stream `refledger.payout_run-<id>`. */
export const payoutRun = {
  stream: ['run'],
  events,
  kinds: ['payout_run.started', 'payout_run.finished'],
  record: payoutRunSchema,
  topic: 'account-events',
  partitionedBy: 'account',
  partitionKey: (_: PayoutRunRecord, account: AccountId) => account,
} as const satisfies PublicAggregateSpec;
