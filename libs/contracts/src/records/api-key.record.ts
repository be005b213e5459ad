import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import { scopeSchema } from '../scopes.js';
import { instantSchema } from '../time.js';

const key = {
  id: idSchema('key'),
  object: z.literal('api_key'),
  name: z.string(),
  scope: scopeSchema,
  last4: z.string().describe('The last four characters of the key.'),
  created_at: instantSchema,
  expires_at: instantSchema
    .nullable()
    .describe('From this time on the key is refused; null: it is valid until it is revoked.'),
  last_used_at: instantSchema
    .nullable()
    .describe('The hour in which the key was last used; null: never, as far as is known.')
    .meta({ example: '2026-01-31T09:00:00.000Z' }),
};

/** An API key as the API shows it, without the key itself. */
export const apiKeySchema = z.strictObject(key).meta({ id: 'ApiKey' });
export type ApiKeyRecord = z.infer<typeof apiKeySchema>;

/** The response to the creation of a key: the only one that shows the key itself. */
export const createdApiKeySchema = z
  .strictObject({ ...key, api_key: z.string().describe('Shown once.') })
  .meta({ id: 'CreatedApiKey' });
