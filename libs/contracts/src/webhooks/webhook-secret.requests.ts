import { z } from 'zod';
import { parseDuration } from '../duration.js';
import { bodyExamples } from '../shared/body-examples.js';

/** A secret that the client chose: 16 to 128 printable ASCII characters. */
export const secretSchema = z
  .string()
  .regex(/^[\x20-\x7e]{16,128}$/, { error: 'must have 16 to 128 printable ASCII characters' })
  .meta({ minLength: 16, maxLength: 128 });

const maxOverlapMs = 168 * 3_600_000;

/** The body of a request to rotate the secret of an endpoint. */
export const rotateSecretSchema = z
  .strictObject({
    secret: secretSchema.optional().describe('Generated if omitted.'),
    overlap: z
      .string()
      .regex(/^\d{1,9}(ms|s|m|h)$/, { error: 'must be a duration such as 24h, 30m or 0s' })
      .refine((value) => (parseDuration(value) ?? 0) <= maxOverlapMs, {
        error: 'must be at most 168h',
        params: { code: 'too_large' },
      })
      .default('24h')
      .describe(
        'How long the previous secret remains valid alongside the new one: at most `168h`. `0s`: it is replaced immediately.',
      ),
  })
  .meta({ id: 'RotateSecret' })
  .register(bodyExamples, { example: { overlap: '24h' } });
