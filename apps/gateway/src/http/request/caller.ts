import type { AccountId, KeyId, Scope } from '@refledger/contracts';

/** The key that a request was sent with, and the account that the key belongs to. */
export interface Caller {
  readonly accountId: AccountId;
  readonly keyId: KeyId;
  readonly scope: Scope;
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Set on every path under /v1 once the key is recognised; null before that and on other paths.
     */
    caller: Caller | null;
  }
}

/** Finds the caller that an API key belongs to. */
export interface KeyLookup {
  /** The key's owner, if the key is known already. */
  known(key: string): KeyOwner | undefined;
  /** The owner of a key that may be too new to be known. */
  find(key: string): Promise<KeyOwner | undefined>;
}

/** The caller that a key belongs to, unless the key has expired. */
export type KeyOwner = Caller | 'expired';
