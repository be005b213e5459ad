import type { AccountId, KeyId, Scope } from '@refledger/contracts';

/** Whose request it is: the key that came with it, and the account that the key belongs to. */
export interface Caller {
  readonly accountId: AccountId;
  readonly keyId: KeyId;
  readonly scope: Scope;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every path under /v1 once the key is known; null before and elsewhere. */
    caller: Caller | null;
  }
}
