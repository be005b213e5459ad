import { z } from 'zod';
import { bodyExamples } from '../shared/body-examples.js';
import { scopeSchema } from '../scopes.js';
import { nameSchema } from '../text.js';
import { instantInputSchema, instantParameterSchema } from '../time.js';
import { listQuery, withCreatedBounds, type ListSpec } from '../shared/list-spec.js';

/** The body of a request to create an account. */
export const createAccountSchema = z
  .strictObject({ name: nameSchema })
  .meta({ id: 'CreateAccount' })
  .register(bodyExamples, { example: { name: 'Corner shop' } });

/** The body of a request to create an API key. */
export const createApiKeySchema = z
  .strictObject({
    name: nameSchema,
    scope: scopeSchema,
    expires_at: instantInputSchema
      .nullable()
      .optional()
      .describe('A time in the future from which the key is refused. Default: it never expires.'),
  })
  .meta({ id: 'CreateApiKey' })
  .register(bodyExamples, { example: { name: 'Shop server', scope: 'write' } });

/** The list of API keys. */
export const apiKeyList = {
  query: withCreatedBounds(
    z.strictObject({
      ...listQuery,
      expires_before: instantParameterSchema
        .optional()
        .describe(
          'Excludes this instant. The list then has only keys that expire, also those that have expired, sorted by `expires_at` in the direction of `sort`.',
        ),
    }),
  ),
  compared: { expires_before: null },
  indexes: [{ by: [], lowCardinality: [] }],
} as const satisfies ListSpec;
