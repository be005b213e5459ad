import { z } from 'zod';
import { createdAtSchema, objectOf, ownIdOf } from '../shared/record-fields.js';

const account = {
  id: ownIdOf('account'),
  object: objectOf('account'),
  name: z.string().describe('For people; it need not be unique.'),
  created_at: createdAtSchema,
};

/** An account as the API shows it. */
export const accountSchema = z.strictObject(account).meta({ id: 'Account' });
export type AccountRecord = z.infer<typeof accountSchema>;

/** The response to the creation of an account: the only one that shows the account's first key. */
export const createdAccountSchema = z
  .strictObject({
    ...account,
    api_key: z.string().describe('The first key of the account, with scope `admin`. Shown once.'),
  })
  .meta({ id: 'CreatedAccount' });
