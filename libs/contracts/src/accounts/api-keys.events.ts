import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import { scopeSchema } from '../scopes.js';
import { instantSchema } from '../time.js';
import type { AggregateSpec, EventsOf } from '../shared/aggregate.js';

/**
 * Stream `refledger.keys-<account id>`: all keys of an account. The log never holds a key itself,
 * only its SHA-256.
 */
export const apiKeys = {
  stream: ['account'],
  members: { key: 'key_id' },
  secrets: { hash: '[hash]' },
  events: {
    'key.created': z.strictObject({
      key_id: idSchema('key'),
      name: z.string(),
      scope: scopeSchema,
      hash: z.string().describe('SHA-256 of the key, hex'),
      last4: z.string(),
      expires_at: instantSchema.optional(),
    }),
    'key.revoked': z.strictObject({ key_id: idSchema('key') }),
  },
} as const satisfies AggregateSpec;
export type ApiKeysEvent = EventsOf<typeof apiKeys.events>;
