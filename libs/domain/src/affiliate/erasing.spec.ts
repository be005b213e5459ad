import { present } from '@refledger/testing/present';
import { decided } from '../../test/affiliate.js';
import { inProgram as about } from '../../test/conversions.js';
import { given, refusal, when } from '../../test/scenario.js';
import { affiliateEvents } from '../testing/affiliate-events.js';
import { lastAffiliateRecord } from './affiliate.aggregate.js';
import { affiliateDecider } from './affiliate.decider.js';

const { affiliate_id } = about;
const erasing = { type: 'erase', affiliate_id } as const;
const deletion = { type: 'delete', affiliate_id } as const;
const creation = {
  type: 'create',
  approval: 'manual',
  ...about,
  email: 'ada@example.com',
  name: 'Ada',
  metadata: {},
} as const;
const created = affiliateEvents.created(about);
const none = affiliateDecider.initial;
const existing = given(affiliateDecider, created);
const deleted = given(affiliateDecider, created, ...when(affiliateDecider, existing, deletion));
const erased = given(affiliateDecider, created, ...when(affiliateDecider, existing, erasing));

describe('erasing an affiliate', () => {
  it('deletes it in the same append', () => {
    expect(when(affiliateDecider, existing, erasing)).toMatchObject([
      { type: 'affiliate.deleted', data: { ...about, before: { status: 'approved' } } },
      { type: 'affiliate.erased', data: about },
    ]);
  });

  it('that is deleted needs no second deletion', () => {
    expect(when(affiliateDecider, deleted, erasing)).toEqual([
      { type: 'affiliate.erased', data: about },
    ]);
  });

  it('leaves no sealed text and no hash in its state', () => {
    expect(JSON.stringify(erased)).not.toMatch(/sealed":"|hash|example/);
    expect(present(lastAffiliateRecord(erased))).toMatchObject({ sealed: null, revision: 2 });
  });

  it('does nothing again', () => {
    expect(when(affiliateDecider, erased, erasing)).toEqual([]);
  });

  it('that never existed is refused', () => {
    expect(refusal(() => when(affiliateDecider, none, erasing)).code).toBe('not_found');
  });

  it('ends every other command on it; the request that created it makes no twin', () => {
    expect(refusal(() => when(affiliateDecider, erased, deletion)).code).toBe('not_found');
    expect(
      refusal(() => decided(erased, { type: 'update', affiliate_id, patch: { name: 'B' } })).code,
    ).toBe('not_found');
    expect(refusal(() => decided(erased, creation))).toMatchObject({
      code: 'affiliate_erased',
      extras: { affiliate_id },
    });
  });
});
