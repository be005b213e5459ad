import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import type { AggregateSpec, EventsOf } from './aggregate.js';
import { claimedAppendSchema } from './claimed-append.js';

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
