import { z } from 'zod';
import { scopeSchema } from '../scopes.js';
import { nameSchema } from '../text.js';

export const createAccountSchema = z
  .strictObject({ name: nameSchema })
  .meta({ id: 'CreateAccount' });
export type CreateAccount = z.infer<typeof createAccountSchema>;

export const createApiKeySchema = z
  .strictObject({ name: nameSchema, scope: scopeSchema })
  .meta({ id: 'CreateApiKey' });
export type CreateApiKey = z.infer<typeof createApiKeySchema>;
