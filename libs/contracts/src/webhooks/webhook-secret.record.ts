import { z } from 'zod';
import { objectOf } from '../shared/record-fields.js';
import { signsUntilSchema } from './webhook-endpoint.record.js';

/** The secrets of an endpoint, as the API shows them to a key with scope `admin`. */
export const webhookSecretSchema = z
  .strictObject({
    object: objectOf('webhook_secret'),
    secret: z
      .string()
      .describe(
        'The current secret. During an overlap `X-Service-Signature` still uses the previous one.',
      ),
    previous: z
      .strictObject({
        secret: z.string().describe('The previous secret.'),
        signs_until: signsUntilSchema,
      })
      .nullable()
      .describe('The previous secret, while it remains valid after a rotation; null otherwise.'),
  })
  .meta({ id: 'WebhookSecret' });
export type WebhookSecret = z.infer<typeof webhookSecretSchema>;
