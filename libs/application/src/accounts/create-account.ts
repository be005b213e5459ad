import { randomBytes } from 'node:crypto';
import { streams, type AccountEvent } from '@refledger/contracts';
import { accountDecider, type AccountState } from '@refledger/domain';
import type { AccountContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import type { Outcome } from '../outcome.js';

/** Creates the account of a context, unless it exists. */
export const createAccount = (
  commands: CommandHandler,
  context: AccountContext,
  name: string,
): Promise<Outcome<AccountState, AccountEvent>> =>
  commands.run({
    stream: streams.account(context.accountId),
    decider: accountDecider,
    context,
    command: {
      type: 'create',
      account_id: context.accountId,
      name,
      salt: randomBytes(16).toString('hex'),
    },
  });
