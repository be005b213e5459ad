import { accountSchema, idSchema } from '@refledger/contracts';
import { instantOf, given, when } from '../../test/scenario.js';
import { accountDecider, accountRecord, firstAccountId } from './account.decider.js';

const create = {
  type: 'create',
  account_id: firstAccountId,
  name: ' Shop ',
} as const;
const created = {
  type: 'account.created',
  data: { account_id: firstAccountId, name: 'Shop' },
} as const;

it('creates an account once, with its name trimmed', () => {
  expect(when(accountDecider, given(accountDecider), create)).toEqual([created]);
  const state = given(accountDecider, created);
  expect(accountSchema.parse(accountRecord(state))).toEqual({
    id: firstAccountId,
    object: 'account',
    name: 'Shop',
    created_at: instantOf(0),
  });
  expect(when(accountDecider, state, { ...create, name: 'Other' })).toEqual([]);
});

it('has no record before its creation', () =>
  expect(accountRecord(given(accountDecider))).toBeUndefined());

it('always gives the first account the same id', () => {
  expect(idSchema('account').parse(firstAccountId)).toBe('acct_kj7xsjca7hs94ks0kgwjffhsqw');
});
