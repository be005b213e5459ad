import { newCommandId, type AccountId } from '@refledger/contracts';

/** The sender of a command, and the request. `commandId` is random and new for each request. */
export interface CommandContext<Account extends AccountId | null = AccountId | null> {
  readonly accountId: Account;
  readonly actor: string;
  readonly requestId: string;
  readonly commandId: string;
}

/** The context of a command on an account's data. */
export type AccountContext = CommandContext<AccountId>;

/** Returns the context of a new request. */
export const newContext = <Account extends AccountId | null>({
  accountId,
  actor,
  requestId,
}: Omit<CommandContext<Account>, 'commandId'>): CommandContext<Account> => ({
  accountId,
  actor,
  requestId,
  commandId: newCommandId(),
});
