import type { AffiliateEvent, AffiliateFields } from '@refledger/contracts';
import { deletedAffiliate, inProgram } from '../../test/conversions.js';
import { given } from '../../test/scenario.js';
import { affiliateEvents, affiliateFields } from '../testing/affiliate-events.js';
import { affiliateDecider } from './affiliate.decider.js';
import { recipientOf } from './affiliate-fields.js';

it('is the payout email, or the email while there is none', () => {
  const email = 'ada@example.com';
  expect(recipientOf({ email, payout_email: null })).toBe(email);
  expect(recipientOf({ email, payout_email: 'pay@example.com' })).toBe('pay@example.com');
});

describe('the revision that last changed it', () => {
  const revisionAfter = (...changes: readonly Partial<AffiliateFields>[]): number | undefined => {
    let after = affiliateFields;
    const history: AffiliateEvent[] = [affiliateEvents.created(inProgram, after)];
    for (const change of changes) {
      const before = after;
      after = { ...before, ...change };
      history.push(affiliateEvents.changed('affiliate.updated', inProgram, [before, after]));
    }
    const state = given(affiliateDecider, ...history);
    return state.kind === 'none' ? undefined : state.payeeRevision;
  };
  const other = { email: 'other@example.com' };
  const payout = { payout_email: 'pay@example.com' };

  it.each<[string, number, Partial<AffiliateFields>[]]>([
    ['its creation', 0, []],
    [
      'its creation, not a name, a status or a hold',
      0,
      [{ name: 'Lovelace' }, { payout_hold: true }],
    ],
    ['an email while there is no payout email', 1, [other, { name: 'Lovelace' }]],
    ['a payout email', 2, [{ name: 'Lovelace' }, payout]],
    ['a payout email, not a later email', 1, [payout, other]],
    ['the end of a payout email', 2, [payout, { payout_email: null }]],
    [
      'its creation, not a payout email that equals the email',
      0,
      [{ payout_email: affiliateFields.email }],
    ],
  ])('is that of %s', (_, expected, changes) => {
    expect(revisionAfter(...changes)).toBe(expected);
  });

  it('stays when the affiliate is deleted', () => {
    expect(deletedAffiliate).toMatchObject({ kind: 'deleted', payeeRevision: 0 });
  });
});
