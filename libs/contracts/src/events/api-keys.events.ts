import { z } from 'zod';
import { idSchema } from '../ids.js';
import { scopeSchema } from '../scopes.js';

/**
 * Stream `refledger.keys-<account id>`: all keys of an account. The log never holds a key itself,
 * only its SHA-256.
 */
export const apiKeysEvents = {
  'key.created': z.strictObject({
    key_id: idSchema('key'),
    name: z.string(),
    scope: scopeSchema,
    hash: z.string().describe('SHA-256 of the key, hex'),
    last4: z.string(),
  }),
  'key.revoked': z.strictObject({ key_id: idSchema('key') }),
} as const;
