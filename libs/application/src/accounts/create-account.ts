import { streams, type AccountEvent } from '@refledger/contracts';
import { accountDecider, type AccountState } from '@refledger/domain';
import type { Keyring } from '@refledger/personal-data';
import type { AccountContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import type { Outcome } from '../outcome.js';

export interface CreateAccountParts {
  readonly commands: CommandHandler;
  readonly keyring: Pick<Keyring, 'createForAccount'>;
}

/** Creates the account of a context, unless it exists. Its keys are durable before it exists. */
export const createAccount = (
  { commands, keyring }: CreateAccountParts,
  context: AccountContext,
  name: string,
): Promise<Outcome<AccountState, AccountEvent>> =>
  commands.run({
    stream: streams.account(context.accountId),
    decider: accountDecider,
    context,
    command: async ({ kind }, recordedAt) => {
      if (kind === 'none') await keyring.createForAccount(context.accountId, recordedAt);
      return { type: 'create', account_id: context.accountId, name };
    },
  });
