import { derivedId } from '@refledger/contracts';
import type { AffiliateEvent, AffiliateFields } from '@refledger/contracts';
import fc from 'fast-check';
import { affiliateFields } from '../../test/affiliate.js';
import { given } from '../../test/scenario.js';
import { affiliateDecider } from '../affiliate/affiliate.decider.js';
import { emailClaimHash, emailClaimVerdict, type EmailClaim } from './email-claim.decider.js';

const ada = derivedId('affiliate', 'ada');
const bob = derivedId('affiliate', 'bob');

describe('the verdict on a claim', () => {
  const claim: EmailClaim = {
    affiliate_id: ada,
    append: { stream: `refledger.affiliate-${ada}`, expected_revision: null, events: [] },
  };
  const about = { affiliate_id: ada, program_id: 'prog_a' } as const;
  const fields: AffiliateFields = { ...affiliateFields, email: 'Ada@x.io' };
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
        emailClaimVerdict(claim, given(affiliateDecider, ...holders[holder]), {
          email,
          affiliate_id: by,
        }),
      ).toEqual(verdict);
  });
});

it('the verdict on a claim compares addresses in any form', () => {
  const holder = given(affiliateDecider, {
    type: 'affiliate.created',
    data: {
      affiliate_id: ada,
      program_id: 'prog_a',
      after: { ...affiliateFields, email: 'jörg@bücher.example' },
    },
  });
  const claim: EmailClaim = {
    affiliate_id: ada,
    append: { stream: `refledger.affiliate-${ada}`, expected_revision: null, events: [] },
  };
  const verdict = (email: string) =>
    emailClaimVerdict(claim, holder, { email, affiliate_id: bob }).kind;
  expect(verdict('JO\u0308RG@xn--bcher-kva.example')).toBe('taken');
  expect(verdict('jorg@bücher.example')).toBe('void');
});

describe('the hash of a claim', () => {
  const parts = { salt: 'aa', program_id: 'prog_a', email: 'ada@x.io' } as const;

  it('is hexadecimal and differs with salt, program and address', () => {
    const hashes = [
      parts,
      { ...parts, salt: 'ab' },
      { ...parts, program_id: 'prog_b' as const },
      { ...parts, email: 'b@x.io' },
    ].map(emailClaimHash);
    expect(new Set(hashes).size).toBe(4);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('never changes, since the claims of old logs are found by it', () => {
    expect(emailClaimHash(parts)).toBe(
      '1cf95b855b818d41e5cb7a1f573be68432351bbb1f28dca4fe5c0eae4900a0c8',
    );
    const others = { salt: 'salt', program_id: 'prog_a' } as const;
    expect(emailClaimHash({ ...others, email: 'Ada@127.1' })).toBe(
      '248f746510edfd045325e5c43b36aec73c738db5f63feca0c2f6c40f125a9d9a',
    );
    expect(emailClaimHash({ ...others, email: 'a@XN--A' })).toBe(
      'f172acb351e8d3f16bd2798788d5561cc800721caed7e266dfd5ea368d890a88',
    );
  });

  it('is that of any form of the address', () => {
    const forms = ['jörg@bücher.example', 'JO\u0308RG@xn--bcher-kva.example'];
    const hashes = forms.map((email) => emailClaimHash({ ...parts, email }));
    expect(new Set(hashes).size).toBe(1);
  });

  it('ignores the case of an address in ASCII, and nothing else', () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.emailAddress(), (a, b) => {
        expect(emailClaimHash({ ...parts, email: a.toUpperCase() })).toBe(
          emailClaimHash({ ...parts, email: a.toLowerCase() }),
        );
        expect(
          emailClaimHash({ ...parts, email: a }) === emailClaimHash({ ...parts, email: b }),
        ).toBe(a.toLowerCase() === b.toLowerCase());
      }),
    );
  });

  it('never lets one part run into the next', () => {
    expect(emailClaimHash({ salt: 'a', program_id: 'prog_a', email: 'x' })).not.toBe(
      emailClaimHash({ salt: 'aprog_', program_id: 'a' as 'prog_', email: 'x' }),
    );
  });
});
