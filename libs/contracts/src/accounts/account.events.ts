import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import type { AggregateSpec, EventsOf } from '../shared/aggregate.js';

/** Stream `refledger.account-<id>`. */
export const account = {
  stream: ['account'],
  events: {
    'account.created': z.strictObject({ account_id: idSchema('account'), name: z.string() }),
  },
} as const satisfies AggregateSpec;
export type AccountEvent = EventsOf<typeof account.events>;
