import { z } from 'zod';
import { idSchema } from '../ids.js';

/** Stream `refledger.account-<id>`. */
export const accountEvents = {
  'account.created': z.strictObject({
    account_id: idSchema('account'),
    name: z.string(),
    salt: z
      .string()
      .describe(
        'random, hex: goes into the names of e-mail claims, so that they cannot be guessed from an address',
      ),
  }),
} as const;
