import { derivedId } from '@refledger/contracts';
import type {
  AffiliateEvent,
  AffiliateFields,
  AffiliateRecord,
  NewAffiliateTerms,
  UpdateAffiliate,
} from '@refledger/contracts';
import { decided, shownAffiliate } from '../../test/affiliate.js';
import { given, refusal, when } from '../../test/scenario.js';
import { affiliateEvents, affiliateFields as fields } from '../testing/affiliate-events.js';
import { plainAffiliateDecider } from '../testing/plain-affiliate-decider.js';
import type { ValuesCommand } from './affiliate-decision.js';
import { affiliateDecider } from './affiliate.decider.js';

const affiliate_id = derivedId('affiliate', 'ada');
const created = affiliateEvents.created({ affiliate_id, program_id: 'prog_spring' });
const update = (patch: UpdateAffiliate): ValuesCommand => ({
  type: 'update',
  affiliate_id,
  patch,
});

/** Returns the events after the creation and these patches. */
const historyOf = (...patches: readonly UpdateAffiliate[]): AffiliateEvent[] => {
  const history: AffiliateEvent[] = [created];
  for (const patch of patches)
    history.push(
      ...when(plainAffiliateDecider, given(affiliateDecider, ...history), update(patch)),
    );
  return history;
};
const recordAfter = (...patches: readonly UpdateAffiliate[]): AffiliateRecord | undefined =>
  shownAffiliate(given(affiliateDecider, ...historyOf(...patches)));

const percentage: NewAffiliateTerms = { type: 'percentage', rate_bps: 2500 };
const stored = { ...percentage, recurring: 'every', hold_days: null };

it('a new affiliate has no terms of its own, no other recipient and no hold', () => {
  expect(recordAfter()).toMatchObject({
    commission: null,
    commission_version: 0,
    payout_email: null,
    payout_hold: false,
    payout_hold_reason: null,
  });
});

describe('the affiliate’s own terms', () => {
  it('are stored with their defaults, in one event that has all fields before and after it', () => {
    expect(decided(given(affiliateDecider, created), update({ commission: percentage }))).toEqual([
      {
        type: 'affiliate.updated',
        data: {
          affiliate_id,
          program_id: 'prog_spring',
          before: fields,
          after: { ...fields, commission: stored, commission_version: 1 },
        },
      },
    ]);
  });

  it.each<[NewAffiliateTerms, object]>([
    [
      { ...percentage, hold_days: 0 },
      { ...stored, hold_days: 0 },
    ],
    [
      { ...percentage, hold_days: null, caps: { usd: 7 } },
      { ...stored, caps: { USD: 7 } },
    ],
    [
      { type: 'flat', amounts: { eur: 500 }, recurring: { months: 12 } },
      { type: 'flat', amounts: { EUR: 500 }, recurring: { months: 12 }, hold_days: null },
    ],
  ])('%j are stored as %j', (sent, expected) => {
    expect(recordAfter({ commission: sent })?.commission).toEqual(expected);
  });

  it('are replaced as a whole, and each change makes the next version', () => {
    const flat: NewAffiliateTerms = { type: 'flat', amounts: { USD: 5 } };
    const patches = [
      { commission: { ...percentage, caps: { USD: 9 } } },
      { commission: percentage },
      { commission: flat },
      { commission: null },
      { commission: percentage },
    ];
    const versions = patches.map((_, n) => recordAfter(...patches.slice(0, n + 1)));
    expect(versions.map((record) => record?.commission_version)).toEqual([1, 2, 3, 4, 5]);
    expect(versions.map((record) => record?.commission)).toEqual([
      { ...stored, caps: { USD: 9 } },
      stored,
      { ...flat, recurring: 'every', hold_days: null },
      null,
      stored,
    ]);
  });

  it.each([percentage, { ...percentage, recurring: 'every', hold_days: null }] as const)(
    'sent again as %j make no version and no event',
    (again) => {
      expect(historyOf({ commission: percentage }, { commission: again })).toHaveLength(2);
    },
  );

  it('that were never set and stay null make no version', () => {
    expect(historyOf({ commission: null })).toHaveLength(1);
  });

  it('stay as they are when something else changes', () => {
    expect(recordAfter({ commission: percentage }, { name: 'Bob' })).toMatchObject({
      commission: stored,
      commission_version: 1,
    });
  });
});

describe('the other recipient', () => {
  it('is set as it was sent, and removed with null', () => {
    const set = { payout_email: 'Pay@example.com' };
    expect(recordAfter(set)?.payout_email).toBe('Pay@example.com');
    expect(recordAfter(set, { email: 'new@example.com' })?.payout_email).toBe('Pay@example.com');
    expect(recordAfter(set, { payout_email: null })?.payout_email).toBeNull();
    expect(historyOf(set, set)).toHaveLength(2);
  });
});

describe('a hold', () => {
  const held = { payout_hold: true, payout_hold_reason: 'bank details' };

  it.each<[string, UpdateAffiliate[], Pick<AffiliateFields, 'payout_hold' | 'payout_hold_reason'>]>(
    [
      ['starts with a reason', [held], held],
      ['needs no reason', [{ payout_hold: true }], { payout_hold: true, payout_hold_reason: null }],
      [
        'may get its reason later',
        [{ payout_hold: true }, { payout_hold_reason: 'later' }],
        { payout_hold: true, payout_hold_reason: 'later' },
      ],
      [
        'may change its reason',
        [held, { payout_hold_reason: 'other' }],
        { payout_hold: true, payout_hold_reason: 'other' },
      ],
      [
        'may lose its reason',
        [held, { payout_hold_reason: null }],
        { payout_hold: true, payout_hold_reason: null },
      ],
      ['keeps its reason when it is set again', [held, { payout_hold: true }], held],
      ['keeps its reason when something else changes', [held, { name: 'Bob' }], held],
      [
        'takes its reason with it when it is lifted',
        [held, { payout_hold: false }],
        { payout_hold: false, payout_hold_reason: null },
      ],
      [
        'starts again without its former reason',
        [held, { payout_hold: false }, { payout_hold: true }],
        { payout_hold: true, payout_hold_reason: null },
      ],
    ],
  )('%s', (_, patches, expected) => {
    expect(recordAfter(...patches)).toMatchObject(expected);
  });

  it.each<UpdateAffiliate[]>([
    [{ payout_hold_reason: 'why' }],
    [{ payout_hold_reason: '' }],
    [held, { payout_hold: false, payout_hold_reason: 'why' }],
    [held, { payout_hold: false }, { payout_hold_reason: 'why' }],
  ])('is required if a reason is given: %j, then %j, then %j', (...patches) => {
    expect(refusal(() => historyOf(...patches))).toMatchObject({
      code: 'validation_failed',
      extras: { errors: [{ path: '/payout_hold_reason', code: 'without_hold' }] },
    });
  });

  it('has nothing to do with the status or its reason', () => {
    const suspended = { status: 'suspended', reason: 'spam' } as const;
    expect(recordAfter(held, suspended)).toMatchObject({ ...held, ...suspended });
    expect(recordAfter({ ...held, ...suspended })).toMatchObject({ ...held, ...suspended });
  });

  it('that does not exist need not be lifted', () => {
    expect(historyOf({ payout_hold: false, payout_hold_reason: null })).toHaveLength(1);
  });
});
