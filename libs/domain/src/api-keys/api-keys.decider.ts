import { DomainError, includesScope } from '@refledger/contracts';
import type { ApiKeyRecord, ApiKeysEvent, KeyId, Scope } from '@refledger/contracts';
import type { Decider } from '../decider.js';

export interface ApiKey {
  readonly name: string;
  readonly scope: Scope;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  readonly last4: string;
  readonly created_at: string;
}

export interface ApiKeysState {
  /** The keys that work, oldest first. */
  readonly live: ReadonlyMap<KeyId, ApiKey>;
  /** The hash of every key there ever was: a revoked one stays revoked. */
  readonly seen: ReadonlySet<string>;
}

type NewKey = { readonly key_id: KeyId } & Omit<ApiKey, 'created_at'>;

export type ApiKeysCommand =
  /** `by` is the scope of the key that asks. */
  | ({ readonly type: 'create'; readonly by: Scope } & NewKey)
  /** A key that the operator configured: there from the first time it is seen. */
  | ({ readonly type: 'ensure' } & NewKey)
  | { readonly type: 'revoke'; readonly key_id: KeyId };

export const maxKeys = 1000;

/** The record as the API shows it. */
export const apiKeyRecord = (id: KeyId, { name, scope, last4, created_at }: ApiKey): ApiKeyRecord => ({ id, object: 'api_key', name, scope, last4, created_at });

/** All keys of an account in one stream, so that its last admin key can be kept. */
export const apiKeysDecider: Decider<ApiKeysCommand, ApiKeysState, ApiKeysEvent> = {
  initial: { live: new Map(), seen: new Set() },

  decide(command, state) {
    switch (command.type) {
      case 'create': return state.live.has(command.key_id) ? [] : [created(permitted(command, state))];
      case 'ensure': return state.seen.has(command.hash) ? [] : [created(command)];
      case 'revoke': return [revoked(command.key_id, state)];
    }
  },

  evolve({ live, seen }, event, at) {
    const { key_id } = event.data;
    switch (event.type) {
      case 'key.created': {
        const { name, scope, hash, last4 } = event.data;
        return { live: new Map(live).set(key_id, { name, scope, hash, last4, created_at: at.recordedAt }), seen: new Set(seen).add(hash) };
      }
      case 'key.revoked': return { live: new Map([...live].filter(([id]) => id !== key_id)), seen };
    }
  },
};

const permitted = (command: NewKey & { by: Scope }, { live }: ApiKeysState): NewKey => {
  if (!includesScope(command.by, command.scope)) throw new DomainError('insufficient_scope', `a key of scope ${command.by} cannot make one of scope ${command.scope}`);
  if (live.size >= maxKeys) throw new DomainError('validation_failed', `this account has ${maxKeys} keys, the most there can be; revoke one first`);
  return command;
};

const created = ({ key_id, name, scope, hash, last4 }: NewKey): ApiKeysEvent => ({ type: 'key.created', data: { key_id, name: name.trim(), scope, hash, last4 } });

const revoked = (key_id: KeyId, { live }: ApiKeysState): ApiKeysEvent => {
  const key = live.get(key_id);
  if (key === undefined) throw new DomainError('not_found', `there is no key ${key_id}`);
  if (isAdmin(key) && [...live.values()].filter(isAdmin).length === 1) throw new DomainError('last_admin_key', `${key_id} is the last key of this account with scope admin or operator; make another before you revoke it`);
  return { type: 'key.revoked', data: { key_id } };
};

const isAdmin = ({ scope }: ApiKey): boolean => includesScope(scope, 'admin');
