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
