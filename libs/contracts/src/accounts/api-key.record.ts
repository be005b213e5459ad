import { z } from 'zod';
import { scopeSchema } from '../scopes.js';
import { instantSchema } from '../time.js';
import { createdAtSchema, objectOf, ownIdOf } from '../shared/record-fields.js';

const key = {
  id: ownIdOf('key'),
  object: objectOf('api_key'),
  name: z.string().describe('Histories show it with the changes that the key made.'),
  scope: scopeSchema,
  last4: z.string().describe('The last four characters of the key.'),
  created_at: createdAtSchema,
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
  .strictObject({ ...key, api_key: z.string().describe('The key itself. Shown once.') })
  .meta({ id: 'CreatedApiKey' });
