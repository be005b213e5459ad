import { z } from 'zod';
import { idSchema } from '../ids/ids.js';
import { instantSchema } from '../time.js';

const account = {
  id: idSchema('account'),
  object: z.literal('account'),
  name: z.string(),
  created_at: instantSchema,
};

/** An account as the API shows it. */
export const accountSchema = z.strictObject(account).meta({ id: 'Account' });
export type AccountRecord = z.infer<typeof accountSchema>;

/** The response to the creation of an account: the only one that shows the account's first key. */
export const createdAccountSchema = z
  .strictObject({ ...account, api_key: z.string().describe('Shown once.') })
  .meta({ id: 'CreatedAccount' });
