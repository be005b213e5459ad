import { z } from 'zod';
import { scopeSchema } from '../scopes.js';
import { nameSchema } from '../text.js';

/** The body of a request to create an account. */
export const createAccountSchema = z
  .strictObject({ name: nameSchema })
  .meta({ id: 'CreateAccount' });

/** The body of a request to create an API key. */
export const createApiKeySchema = z
  .strictObject({ name: nameSchema, scope: scopeSchema })
  .meta({ id: 'CreateApiKey' });
