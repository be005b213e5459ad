import { firstAccountId, isLastingAdmin } from '@refledger/domain';
import { createAccount, type CreateAccountParts } from '../accounts/create-account.js';
import { newContext } from '../command-context.js';
import type { ApiKeys } from './api-keys.js';
import { newApiKey } from './api-key.js';

/**
 * Resolves with the stored first key, or stores a fresh one durably and resolves with that. Used
 * only when no key is configured.
 */
export type LoadOrCreateFirstKey = (fresh: () => string) => Promise<string>;

/**
 * Creates what is missing at each start: the first account, and the configured key or else a first
 * key. A revoked key stays revoked.
 */
export const bootstrap = async (
  parts: CreateAccountParts,
  keys: ApiKeys,
  configured: string | undefined,
  loadOrCreateFirstKey: LoadOrCreateFirstKey,
): Promise<void> => {
  const context = newContext({ accountId: firstAccountId, actor: 'bootstrap', requestId: 'start' });
  await createAccount(parts, context, 'First account');
  if (configured !== undefined) {
    await keys.ensure(context, configured, 'BOOTSTRAP_API_KEY');
    return;
  }
  const { state } = await keys.load(firstAccountId);
  if ([...state.live.values()].some(isLastingAdmin)) return;
  const key = await loadOrCreateFirstKey(() => newApiKey(firstAccountId));
  if (key.length < 16)
    throw new Error(
      'the file for the first API key contains no key. Remove the file to get a new key.',
    );
  await keys.ensure(context, key, 'first key');
};
