import { derivedId } from '@refledger/contracts';
import type { AccountEvent, AccountId, AccountRecord } from '@refledger/contracts';
import type { Decider } from '../decider.js';

/** The id of the account that the first start creates. It is the same on every engine. */
export const firstAccountId: AccountId = derivedId('account', 'first');

export type AccountState =
  { readonly kind: 'none' } | { readonly kind: 'created'; readonly record: AccountRecord };

export interface AccountCommand {
  readonly type: 'create';
  readonly account_id: AccountId;
  readonly name: string;
}

/** Returns the record as the API shows it; undefined when there is no account. */
export const accountRecord = (state: AccountState): AccountRecord | undefined =>
  state.kind === 'created' ? state.record : undefined;

/** An account is created once. Creating it again changes nothing. */
export const accountDecider: Decider<AccountCommand, AccountState, AccountEvent> = {
  initial: { kind: 'none' },
  decide: ({ account_id, name }, state) =>
    state.kind === 'none'
      ? [{ type: 'account.created', data: { account_id, name: name.trim() } }]
      : [],
  evolve: (_state, { data }, { recordedAt }) => ({
    kind: 'created',
    record: { id: data.account_id, object: 'account', name: data.name, created_at: recordedAt },
  }),
};
