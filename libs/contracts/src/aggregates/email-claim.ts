import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import { streamPrefix } from '../ids/stream-name.js';
import { eventMetadataSchema } from '../events/event-metadata.js';
import type { AggregateSpec, EventsOf } from './aggregate.js';

/**
 * Stream `refledger.claim-<hash>`. A claim holds the exact append that it stands for, so any
 * command that finds the claim can finish that append: same event id, same stream, same expected
 * revision.
 */
export const emailClaim = {
  stream: ['text'],
  events: {
    'claim.taken': z.strictObject({
      affiliate_id: idSchema('affiliate'),
      append: z.strictObject({
        stream: z.templateLiteral([streamPrefix, z.string()]),
        expected_revision: z.int().min(0).nullable().describe('null: the stream must not exist'),
        event: z.strictObject({
          id: z.string(),
          type: z.string(),
          data: z.record(z.string(), z.unknown()),
          metadata: eventMetadataSchema,
        }),
      }),
    }),
  },
} as const satisfies AggregateSpec;
export type EmailClaimEvent = EventsOf<typeof emailClaim.events>;
