import { isId, type AccountId, type Actor } from '@refledger/contracts';
import type { KeyNames } from './key-names.js';

/** Returns who caused an event as the API shows it to the event's account. */
export const shownActor = (actor: string, account: AccountId, keys: KeyNames): Actor =>
  isId('key', actor)
    ? { type: 'api_key', id: actor, name: keys.nameOf(account, actor) ?? null }
    : { type: 'system', id: actor, name: null };
