import { DomainError, includesScope } from '@refledger/contracts';
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
}

export interface ApiKeysState {
  /** The keys that work. Revoked keys are not kept, so the state stays small. */
  readonly live: PersistentMap<KeyId, ApiKey>;
}

type NewKey = { readonly key_id: KeyId } & Omit<ApiKey, 'created_at'>;

export type ApiKeysCommand =
  /** `by` is the scope of the key that makes the request. */
  | ({ readonly type: 'create'; readonly by: Scope } & NewKey)
  /**
   * Creates a key that the operator configured. `existedBefore`: an event of the stream already
   * created it, so if it is not live, it stays revoked.
   */
  | ({ readonly type: 'ensure'; readonly existedBefore: boolean } & NewKey)
  | { readonly type: 'revoke'; readonly key_id: KeyId };

/** The maximum number of live keys per account. */
export const maxKeys = 1000;

/** Returns the record as the API shows it. */
export const apiKeyRecord = (
  id: KeyId,
  { name, scope, last4, created_at }: ApiKey,
): ApiKeyRecord => ({ id, object: 'api_key', name, scope, last4, created_at });

/** All keys of an account are in one stream, so that its last admin key can be protected. */
export const apiKeysDecider: Decider<ApiKeysCommand, ApiKeysState, ApiKeysEvent> = {
  initial: { live: PersistentMap.empty },

  decide(command, state) {
    switch (command.type) {
      case 'create':
        return state.live.has(command.key_id) ? [] : [created(permitted(command, state))];
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
        const { name, scope, hash, last4 } = event.data;
        return { live: live.with(key_id, { name, scope, hash, last4, created_at: at.recordedAt }) };
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

const permitted = (command: NewKey & { by: Scope }, { live }: ApiKeysState): NewKey => {
  if (!includesScope(command.by, command.scope))
    throw new DomainError(
      'insufficient_scope',
      `A key with scope ${command.by} cannot create one with scope ${command.scope}. Use a key with that scope.`,
    );
  if (live.size >= maxKeys)
    throw new DomainError(
      'validation_failed',
      `This account has ${maxKeys} keys, which is the limit. Revoke one first.`,
    );
  return command;
};

const created = ({ key_id, name, scope, hash, last4 }: NewKey): ApiKeysEvent => ({
  type: 'key.created',
  data: { key_id, name: name.trim(), scope, hash, last4 },
});

const revoked = (key_id: KeyId, { live }: ApiKeysState): ApiKeysEvent => {
  const key = live.get(key_id);
  if (key === undefined)
    throw new DomainError('not_found', `There is no key ${key_id}. Check the id.`);
  if (isAdmin(key) && [...live.values()].filter(isAdmin).length === 1)
    throw new DomainError(
      'last_admin_key',
      `${key_id} is the account's last key with scope admin or operator. Create another one before you revoke it.`,
    );
  return { type: 'key.revoked', data: { key_id } };
};

const isAdmin = ({ scope }: ApiKey): boolean => includesScope(scope, 'admin');
