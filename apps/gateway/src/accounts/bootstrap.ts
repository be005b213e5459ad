import { randomBytes } from 'node:crypto';
import { newContext, type CommandHandler } from '@refledger/event-log';
import { accountDecider, firstAccountId } from '@refledger/domain';
import { includesScope, streams } from '@refledger/contracts';
import type { ApiKeys } from './api-keys.js';
import { newApiKey } from './api-key.js';

/** Where the first key is kept when nobody configured one: the one that is there already, else the fresh one, kept durably. */
export type KeepFirstKey = (fresh: () => string) => Promise<string>;

/** Every start makes what is missing: the first account, the key that is configured, or else a first key. A revoked key stays revoked. */
export const bootstrap = async (
  commands: CommandHandler,
  keys: ApiKeys,
  configured: string | undefined,
  keepFirstKey: KeepFirstKey,
): Promise<void> => {
  const context = {
    ...newContext({ accountId: firstAccountId, actor: 'bootstrap', requestId: 'start' }),
    accountId: firstAccountId,
  };
  await commands.run({
    stream: streams.account(firstAccountId),
    decider: accountDecider,
    context,
    command: {
      type: 'create',
      account_id: firstAccountId,
      name: 'First account',
      salt: randomBytes(16).toString('hex'),
    },
  });
  if (configured !== undefined) {
    await keys.ensure(context, configured, 'BOOTSTRAP_API_KEY');
    return;
  }
  const { state } = await keys.load(firstAccountId);
  if ([...state.live.values()].some(({ scope }) => includesScope(scope, 'admin'))) return;
  const key = await keepFirstKey(() => newApiKey(firstAccountId));
  if (key.length < 16)
    throw new Error(
      'the file that should hold the first API key holds none: remove it, and a new key is made',
    );
  await keys.ensure(context, key, 'first key');
};
