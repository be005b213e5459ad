import { emailKey } from '@refledger/contracts';
import type { AccountKeys } from '@refledger/sealing';

type Hashing = Pick<AccountKeys, 'hash'>;

/** Finds the affiliates of an account with this email, in any form of the same address. */
export const emailHashOf = (keys: Hashing, email: string): string =>
  keys.hash('email', emailKey(email));

/** Finds the affiliates of an account with this external id. */
export const externalIdHashOf = (keys: Hashing, externalId: string): string =>
  keys.hash('external_id', externalId);
