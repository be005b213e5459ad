import { z } from 'zod';
import { bodyExamples } from '../shared/body-examples.js';
import { nameSchema } from '../text.js';
import { scopeSchema } from '../scopes.js';
import { instantInputSchema } from '../time.js';

export const createAccountSchema = z
  .strictObject({ name: nameSchema })
  .meta({ id: 'CreateAccount' })
  .register(bodyExamples, { example: { name: 'Corner shop' } });

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
