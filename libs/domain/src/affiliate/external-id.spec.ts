import { derivedId, type UpdateAffiliate } from '@refledger/contracts';
import { decided, shownAffiliate } from '../../test/affiliate.js';
import { given, refusal, when } from '../../test/scenario.js';
import { plainAffiliateDecider } from '../testing/plain-affiliate-decider.js';

const affiliate_id = derivedId('affiliate', 'ada');
const creation = {
  type: 'create',
  approval: 'manual',
  affiliate_id,
  program_id: 'prog_spring',
  email: 'ada@example.com',
  name: 'Ada',
  metadata: {},
} as const;
const create = (over: object = {}) =>
  when(plainAffiliateDecider, given(plainAffiliateDecider), { ...creation, ...over });

it('of a new affiliate is kept, and a repeated request is compared with it', () => {
  const command = { ...creation, external_id: 'user-42' };
  const state = given(plainAffiliateDecider, ...create(command));
  expect(shownAffiliate(state)?.external_id).toBe('user-42');
  expect(when(plainAffiliateDecider, state, command)).toEqual([]);
  expect(refusal(() => when(plainAffiliateDecider, state, creation)).code).toBe(
    'idempotency_key_reused',
  );
});

it('can be set, kept and removed', () => {
  const events = [...create()];
  const update = (patch: UpdateAffiliate) => {
    const state = given(plainAffiliateDecider, ...events);
    const command = { type: 'update', affiliate_id, patch } as const;
    events.push(...when(plainAffiliateDecider, state, command));
    return decided(state, command);
  };
  expect(update({ external_id: 'user-42' })).toMatchObject([
    {
      type: 'affiliate.updated',
      data: { before: { external_id: null }, after: { external_id: 'user-42' } },
    },
  ]);
  expect(update({ external_id: 'user-42' })).toEqual([]);
  expect(update({ name: 'B' })).toMatchObject([{ data: { after: { external_id: 'user-42' } } }]);
  expect(update({ external_id: null })).toMatchObject([{ data: { after: { external_id: null } } }]);
});
