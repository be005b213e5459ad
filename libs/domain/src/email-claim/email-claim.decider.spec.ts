import { derivedId } from '@refledger/contracts';
import fc from 'fast-check';
import { given } from '../../test/scenario.js';
import { affiliateDecider } from '../affiliate/affiliate.decider.js';
import { affiliateEvents, affiliateFields, plainHashes } from '../testing/affiliate-events.js';
import { emailClaimHash, emailClaimVerdict, type EmailClaim } from './email-claim.decider.js';

const ada = derivedId('affiliate', 'ada');
const bob = derivedId('affiliate', 'bob');

describe('the verdict on a claim', () => {
  const claim: EmailClaim = {
    affiliate_id: ada,
    append: { stream: `refledger.affiliate-${ada}`, expected_revision: null, events: [] },
  };
  const about = { affiliate_id: ada, program_id: 'prog_a' } as const;
  // the test double's hash of an email is its key, which all forms of the address share
  const fields = { ...affiliateFields, email: 'Ada@x.io' };
  const other = { ...fields, email: 'new@x.io' };
  const changed = (...change: Parameters<typeof affiliateEvents.changed>[2]) =>
    affiliateEvents.changed('affiliate.updated', about, change);
  const created = affiliateEvents.created(about, fields);
  const holders = {
    none: [],
    holding: [created],
    'holding another form': [created, changed(fields, { ...fields, email: 'ADA@x.io' })],
    moved: [created, changed(fields, other)],
    returned: [created, changed(fields, other), changed(other, fields)],
    deleted: [created, affiliateEvents.deleted(about, fields)],
  };

  it.each([
    { holder: 'none', by: bob, verdict: { kind: 'void' } },
    { holder: 'none', by: ada, verdict: { kind: 'void' } },
    { holder: 'holding', by: bob, verdict: { kind: 'taken', affiliate_id: ada } },
    { holder: 'holding', by: ada, verdict: { kind: 'own' } },
    { holder: 'holding another form', by: bob, verdict: { kind: 'taken', affiliate_id: ada } },
    { holder: 'moved', by: bob, verdict: { kind: 'void' } },
    { holder: 'moved', by: ada, verdict: { kind: 'void' } },
    { holder: 'returned', by: bob, verdict: { kind: 'taken', affiliate_id: ada } },
    { holder: 'deleted', by: bob, verdict: { kind: 'void' } },
    { holder: 'deleted', by: ada, verdict: { kind: 'void' } },
  ] as const)('holder $holder, asked by $by: $verdict.kind', ({ holder, by, verdict }) => {
    const state = given(affiliateDecider, ...holders[holder]);
    const wanted = { email_hash: plainHashes(fields).email, affiliate_id: by };
    expect(emailClaimVerdict(claim, state, wanted)).toEqual(verdict);
  });
});

describe('the hash of a claim', () => {
  const parts = { program_id: 'prog_a', email_hash: 'a hash' } as const;

  it('is hexadecimal and differs with the program and the hash of the address', () => {
    const hashes = [
      parts,
      { ...parts, program_id: 'prog_b' as const },
      { ...parts, email_hash: 'another' },
    ].map(emailClaimHash);
    expect(new Set(hashes).size).toBe(3);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('never changes, since the claims of old logs are found by it', () => {
    expect(emailClaimHash(parts)).toBe(
      '3c1ba8cd750d5efff13e382a1df00fc2f99e65148f909caba76a254ad4907e08',
    );
  });

  it('is that of no other address', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(
          emailClaimHash({ ...parts, email_hash: a }) ===
            emailClaimHash({ ...parts, email_hash: b }),
        ).toBe(a === b);
      }),
    );
  });

  it('never lets one part run into the next', () => {
    expect(emailClaimHash({ program_id: 'prog_a', email_hash: 'x' })).not.toBe(
      emailClaimHash({ program_id: 'prog_', email_hash: 'ax' }),
    );
  });
});
