import { derivedId } from '@refledger/contracts';
import type { AffiliateEvent, AffiliateFields } from '@refledger/contracts';
import fc from 'fast-check';
import { given, obeysLaws, when } from '../../test/scenario.js';
import { affiliateDecider } from '../affiliate/affiliate.decider.js';
import { claimHash, claimVerdict, emailClaimDecider } from './email-claim.decider.js';
import type { EmailClaimCommand, TakenClaim } from './email-claim.decider.js';

const ada = derivedId('affiliate', 'ada');
const bob = derivedId('affiliate', 'bob');
const metadata = {
  account_id: null,
  actor: 'key',
  request_id: 'r',
  schema: 1,
  recorded_at: '2026-01-01T00:00:00.000Z',
};
const take = (affiliate_id = ada, id = 'e1'): EmailClaimCommand => ({
  type: 'take',
  affiliate_id,
  append: {
    stream: `refledger.affiliate-${affiliate_id}`,
    expected_revision: null,
    events: [
      { id, type: 'affiliate.created', data: { any: 1 }, metadata },
      { id: `${id}-2`, type: 'affiliate.approved', data: { any: 2 }, metadata },
    ],
  },
});
const taken = ({ affiliate_id, append }: EmailClaimCommand) =>
  ({ type: 'claim.taken', data: { affiliate_id, append } }) as const;

describe('taking a claim', () => {
  it('succeeds if it is free', () => {
    expect(when(emailClaimDecider, given(emailClaimDecider), take())).toEqual([taken(take())]);
  });

  it('replaces a void claim, at that claim’s revision', () => {
    const state = given(emailClaimDecider, taken(take()));
    expect(when(emailClaimDecider, state, take(bob, 'e2'))).toEqual([taken(take(bob, 'e2'))]);
    expect(given(emailClaimDecider, taken(take()), taken(take(bob, 'e2')))).toEqual({
      kind: 'taken',
      affiliate_id: bob,
      append: take(bob, 'e2').append,
      revision: 1,
    });
  });

  it('again for the same append has no effect', () => {
    expect(when(emailClaimDecider, given(emailClaimDecider, taken(take())), take())).toEqual([]);
  });

  it('obeys the laws of a decider', () => {
    const commands = fc
      .record({ who: fc.constantFrom(ada, bob), id: fc.constantFrom('e1', 'e2', 'e3') })
      .map(({ who, id }) => take(who, id));
    obeysLaws(emailClaimDecider, commands, ({ state, command, history }) => {
      expect(state).toMatchObject({
        kind: 'taken',
        revision: history.length - 1,
        affiliate_id: command.affiliate_id,
      });
      expect(emailClaimDecider.decide(command, state)).toEqual([]);
    });
  });
});

describe('the verdict on a claim', () => {
  const claim = given(emailClaimDecider, taken(take())) as TakenClaim;
  const about = { affiliate_id: ada, program_id: 'prog_a' } as const;
  const fields: AffiliateFields = {
    email: 'Ada@x.io',
    name: 'Ada',
    status: 'pending',
    reason: null,
    metadata: {},
  };
  const created: AffiliateEvent = { type: 'affiliate.created', data: { ...about, after: fields } };
  const moved: AffiliateEvent = {
    type: 'affiliate.updated',
    data: { ...about, before: fields, after: { ...fields, email: 'new@x.io' } },
  };
  const deleted: AffiliateEvent = { type: 'affiliate.deleted', data: { ...about, before: fields } };
  const holders = {
    none: [],
    holding: [created],
    moved: [created, moved],
    deleted: [created, deleted],
  };

  it.each([
    { holder: 'none', by: bob, verdict: { kind: 'void' } },
    { holder: 'none', by: ada, verdict: { kind: 'void' } },
    { holder: 'holding', by: bob, verdict: { kind: 'taken', affiliate_id: ada } },
    { holder: 'holding', by: ada, verdict: { kind: 'own' } },
    { holder: 'moved', by: bob, verdict: { kind: 'void' } },
    { holder: 'moved', by: ada, verdict: { kind: 'void' } },
    { holder: 'deleted', by: bob, verdict: { kind: 'void' } },
    { holder: 'deleted', by: ada, verdict: { kind: 'void' } },
  ] as const)('holder $holder, asked by $by: $verdict.kind', ({ holder, by, verdict }) => {
    for (const email of ['Ada@x.io', 'ADA@X.IO'])
      expect(
        claimVerdict(claim, given(affiliateDecider, ...holders[holder]), {
          email,
          affiliate_id: by,
        }),
      ).toEqual(verdict);
  });
});

describe('the hash of a claim', () => {
  const parts = { salt: 'aa', program_id: 'prog_a', email: 'ada@x.io' } as const;

  it('is hexadecimal and differs with salt, program and address', () => {
    const hashes = [
      parts,
      { ...parts, salt: 'ab' },
      { ...parts, program_id: 'prog_b' as const },
      { ...parts, email: 'b@x.io' },
    ].map(claimHash);
    expect(new Set(hashes).size).toBe(4);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('ignores case, and nothing but case, of the address', () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.emailAddress(), (a, b) => {
        expect(claimHash({ ...parts, email: a.toUpperCase() })).toBe(
          claimHash({ ...parts, email: a.toLowerCase() }),
        );
        expect(claimHash({ ...parts, email: a }) === claimHash({ ...parts, email: b })).toBe(
          a.toLowerCase() === b.toLowerCase(),
        );
      }),
    );
  });

  it('never lets one part run into the next', () => {
    expect(claimHash({ salt: 'a', program_id: 'prog_a', email: 'x' })).not.toBe(
      claimHash({ salt: 'aprog_', program_id: 'a' as 'prog_', email: 'x' }),
    );
  });
});
