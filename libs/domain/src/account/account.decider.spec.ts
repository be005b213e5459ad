import { accountSchema, idSchema } from '@refledger/contracts';
import { at, given, when } from '../../test/scenario.js';
import { accountDecider, accountRecord, firstAccountId } from './account.decider.js';

const create = {
  type: 'create',
  account_id: firstAccountId,
  name: ' Shop ',
  salt: '00ff',
} as const;
const created = {
  type: 'account.created',
  data: { account_id: firstAccountId, name: 'Shop', salt: '00ff' },
} as const;

it('makes an account once, its name trimmed', () => {
  expect(when(accountDecider, given(accountDecider), create)).toEqual([created]);
  const state = given(accountDecider, created);
  expect(accountSchema.parse(accountRecord(state))).toEqual({
    id: firstAccountId,
    object: 'account',
    name: 'Shop',
    created_at: at(0),
  });
  expect(state).toMatchObject({ salt: '00ff' });
  expect(when(accountDecider, state, { ...create, salt: 'another', name: 'Other' })).toEqual([]);
});

it('has no record before', () => expect(accountRecord(given(accountDecider))).toBeUndefined());

it('gives the first account one id for ever', () => {
  expect(idSchema('account').parse(firstAccountId)).toBe('acct_kj7xsjca7hs94ks0kgwjffhsqw');
});
