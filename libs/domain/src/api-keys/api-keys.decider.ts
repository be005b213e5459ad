import { DomainError, includesScope, toInstant, validationError } from '@refledger/contracts';
import type { ApiKeyRecord, ApiKeysEvent, KeyId, Scope } from '@refledger/contracts';
import type { Decider } from '../decider.js';
import { PersistentMap } from '../persistent-map.js';

export interface ApiKey {
  readonly name: string;
  readonly scope: Scope;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  readonly last4: string;
  readonly created_at: string;
  /** From this time on the key is refused; null: it is valid until it is revoked. */
  readonly expires_at: string | null;
}

export interface ApiKeysState {
  /** The keys that are not revoked. Revoked keys are not kept, so the state stays small. */
  readonly live: PersistentMap<KeyId, ApiKey>;
}

type NewKey = { readonly key_id: KeyId } & Omit<ApiKey, 'created_at' | 'expires_at'>;

interface RequestedKey extends NewKey {
  /** The scope of the key that makes the request. */
  readonly by: Scope;
  /** RFC 3339. */
  readonly expires_at?: string | null | undefined;
  /** When the key is created. */
  readonly recordedAt: string;
}

export type ApiKeysCommand =
  | ({ readonly type: 'create' } & RequestedKey)
  /**
   * Creates a key that the operator configured. `existedBefore`: an event of the stream already
   * created it, so if it is not live, it stays revoked.
   */
  | ({ readonly type: 'ensure'; readonly existedBefore: boolean } & NewKey)
  | { readonly type: 'revoke'; readonly key_id: KeyId };

/** The maximum number of live keys per account. */
export const maxKeys = 1000;

/** Returns the record as the API shows it, without the key's last use, which no event records. */
export const apiKeyRecord = (
  id: KeyId,
  { name, scope, last4, created_at, expires_at }: Omit<ApiKey, 'hash'>,
): Omit<ApiKeyRecord, 'last_used_at'> => ({
  id,
  object: 'api_key',
  name,
  scope,
  last4,
  created_at,
  expires_at,
});

/** All keys of an account are in one stream, so that its last admin key can be protected. */
export const apiKeysDecider: Decider<ApiKeysCommand, ApiKeysState, ApiKeysEvent> = {
  initial: { live: PersistentMap.empty },

  decide(command, state) {
    switch (command.type) {
      case 'create':
        return state.live.has(command.key_id) ? [] : [requested(command, state)];
      case 'ensure':
        return command.existedBefore || isLive(command.hash, state) ? [] : [created(command)];
      case 'revoke':
        return [revoked(command.key_id, state)];
    }
  },

  evolve({ live }, event, at) {
    const { key_id } = event.data;
    switch (event.type) {
      case 'key.created': {
        const { name, scope, hash, last4, expires_at = null } = event.data;
        const key = { name, scope, hash, last4, created_at: at.recordedAt, expires_at };
        return { live: live.with(key_id, key) };
      }
      case 'key.revoked':
        return { live: live.without(key_id) };
    }
  },
};

/** Whether a live key has this hash. */
export const isLive = (hash: string, { live }: ApiKeysState): boolean => {
  for (const key of live.values()) if (key.hash === hash) return true;
  return false;
};

const requested = (command: RequestedKey, { live }: ApiKeysState): ApiKeysEvent => {
  if (!includesScope(command.by, command.scope))
    throw new DomainError(
      'insufficient_scope',
      `A key with scope ${command.by} cannot create one with scope ${command.scope}. Use a key with that scope.`,
    );
  if (live.size >= maxKeys)
    throw new DomainError(
      'validation_failed',
      `This account has ${maxKeys} keys, which is the limit. Revoke one first: expired keys count too, and the list of keys finds them by expires_before.`,
    );
  return created(command, expiryOf(command));
};

const created = (
  { key_id, name, scope, hash, last4 }: NewKey,
  expires_at?: string,
): ApiKeysEvent => ({
  type: 'key.created',
  data: { key_id, name: name.trim(), scope, hash, last4, ...(expires_at && { expires_at }) },
});

/** The time, with milliseconds, at which a new key expires. Throws unless it lies in the future. */
const expiryOf = ({ expires_at, recordedAt }: RequestedKey): string | undefined => {
  if (expires_at === undefined || expires_at === null) return undefined;
  const expiresAt = toInstant(Date.parse(expires_at));
  if (expiresAt > recordedAt) return expiresAt;
  throw validationError({
    path: '/expires_at',
    code: 'too_early',
    message: `expires_at must be in the future, but was ${expiresAt} and the time is ${recordedAt}. Send a later time, or omit it for a key that does not expire.`,
  });
};

const revoked = (key_id: KeyId, { live }: ApiKeysState): ApiKeysEvent => {
  const key = live.get(key_id);
  if (key === undefined)
    throw new DomainError('not_found', `There is no key ${key_id}. Check the id.`);
  if (isLastingAdmin(key) && [...live.values()].filter(isLastingAdmin).length === 1)
    throw new DomainError(
      'last_admin_key',
      `${key_id} is the account's last key with scope admin or operator that does not expire. Create another one before you revoke it.`,
    );
  return { type: 'key.revoked', data: { key_id } };
};

/** Whether a key may do everything in its account until it is revoked. */
export const isLastingAdmin = ({ scope, expires_at }: ApiKey): boolean =>
  includesScope(scope, 'admin') && expires_at === null;
