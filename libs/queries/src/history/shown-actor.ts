import { isId, type AccountId, type Actor, type KeyId } from '@refledger/contracts';

/** Finds the names of keys without reading anything. */
export interface KeyNames {
  /** The name of a live key of this account; undefined for any other key. */
  nameOf(account: AccountId, key: KeyId): string | undefined;
}

/** Returns who caused an event as the API shows it to the event's account. */
export const shownActor = (actor: string, account: AccountId, keys: KeyNames): Actor =>
  isId('key', actor)
    ? { type: 'api_key', id: actor, name: keys.nameOf(account, actor) ?? null }
    : { type: 'system', id: actor, name: null };
