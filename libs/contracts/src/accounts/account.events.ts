import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import type { AggregateSpec, EventsOf } from '../shared/aggregate.js';

/** Stream `refledger.account-<id>`. */
export const account = {
  stream: ['account'],
  secrets: { salt: '[salt]' },
  events: {
    'account.created': z.strictObject({
      account_id: idSchema('account'),
      name: z.string(),
      salt: z
        .string()
        .describe(
          'random, hex: goes into the names of email claims, so that they cannot be guessed from an address',
        ),
    }),
  },
} as const satisfies AggregateSpec;
export type AccountEvent = EventsOf<typeof account.events>;
