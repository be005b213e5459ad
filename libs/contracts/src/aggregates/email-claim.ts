import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import type { AggregateSpec, EventsOf } from '../shared/aggregate.js';
import { claimedAppendSchema } from '../shared/claimed-append.js';

/** Stream `refledger.claim-<hash>`. */
export const emailClaim = {
  stream: ['text'],
  events: {
    'claim.taken': z.strictObject({
      affiliate_id: idSchema('affiliate'),
      append: claimedAppendSchema,
    }),
  },
} as const satisfies AggregateSpec;
export type EmailClaimEvent = EventsOf<typeof emailClaim.events>;
