import { derivedId, type AffiliateId, type ClaimedAppend } from '@refledger/contracts';
import fc from 'fast-check';
import { given, obeysLaws, when } from '../../test/scenario.js';
import { emailClaimDecider, type EmailClaim } from '../email-claim/email-claim.decider.js';
import type { TakeClaim } from './claim.decider.js';

const ada = derivedId('affiliate', 'ada');
const bob = derivedId('affiliate', 'bob');
const metadata = {
  account_id: null,
  actor: 'key',
  request_id: 'r',
  schema: 1,
  recorded_at: '2026-01-01T00:00:00.000Z',
};

const appendOf = (affiliate: AffiliateId, ids: readonly string[]): ClaimedAppend => ({
  stream: `refledger.affiliate-${affiliate}`,
  expected_revision: null,
  events: ids.map((id) => ({ id, type: 'affiliate.created', data: { any: 1 }, metadata })),
});
const take = (affiliate_id: AffiliateId, ids: readonly string[]): TakeClaim<EmailClaim> => ({
  type: 'take',
  data: { affiliate_id, append: appendOf(affiliate_id, ids) },
});
const taken = ({ data }: TakeClaim<EmailClaim>) => ({ type: 'claim.taken', data }) as const;

describe.each([
  ['one event', ['e1'], ['e2']],
  ['two events', ['e1', 'e1b'], ['e2', 'e2b']],
])('taking a claim for an append of %s', (_name, ids, others) => {
  it('succeeds if it is free', () => {
    const command = take(ada, ids);
    expect(when(emailClaimDecider, given(emailClaimDecider), command)).toEqual([taken(command)]);
  });

  it('replaces another claim, which no longer counts', () => {
    const [before, command] = [taken(take(ada, ids)), take(bob, others)];
    const state = given(emailClaimDecider, before);
    expect(when(emailClaimDecider, state, command)).toEqual([taken(command)]);
    expect(given(emailClaimDecider, before, taken(command))).toEqual({
      kind: 'taken',
      data: command.data,
    });
  });

  it('again for the same append has no effect', () => {
    const command = take(ada, ids);
    expect(when(emailClaimDecider, given(emailClaimDecider, taken(command)), command)).toEqual([]);
  });
});

it('obeys the laws of a decider', () => {
  const commands = fc
    .record({
      who: fc.constantFrom(ada, bob),
      ids: fc.constantFrom(['e1'], ['e2', 'e2b'], ['e3', 'e3b']),
    })
    .map(({ who, ids }) => take(who, ids));
  obeysLaws(emailClaimDecider, commands, ({ state, command }) => {
    expect(state).toEqual({ kind: 'taken', data: command.data });
    expect(emailClaimDecider.decide(command, state)).toEqual([]);
  });
});
