import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import { instantSchema } from '../time.js';
import type { AggregateSpec, EventsOf } from '../shared/aggregate.js';
import { claimedAppendSchema } from '../shared/claimed-append.js';

/**
 * Stream `refledger.customer-<hash>`. It says which sale to a customer was the first for an
 * affiliate.
 */
export const customer = {
  stream: ['text'],
  events: {
    'customer.referred': z.strictObject({
      conversion_id: idSchema('conversion'),
      affiliate_id: idSchema('affiliate'),
      occurred_at: instantSchema.describe('when this sale occurred'),
      append: claimedAppendSchema,
    }),
  },
} as const satisfies AggregateSpec;
export type CustomerEvent = EventsOf<typeof customer.events>;
