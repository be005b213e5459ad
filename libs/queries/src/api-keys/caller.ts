import type { Reader } from '@refledger/application';
import type { Scope } from '@refledger/contracts';

/** The key that a request was sent with, and the account that the key belongs to. */
export interface Caller extends Reader {
  readonly scope: Scope;
}

/** The caller that a key belongs to, unless the key has expired. */
export type KeyOwner = Caller | 'expired';
