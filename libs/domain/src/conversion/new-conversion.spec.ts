import { explicitCommission, toInstant } from '@refledger/contracts';
import type { NewTerms, ReportedSale } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import {
  about,
  affiliateAt,
  affiliateWith,
  fields,
  programWith,
  record,
} from '../../test/conversions.js';
import { instantOf, given, refusal, textMatching, when } from '../../test/scenario.js';
import { conversionDecider } from './conversion.decider.js';

const none = given(conversionDecider);
const terms: NewTerms = { type: 'percentage', rate_bps: 2_000, hold_days: 10 };
const withTerms = programWith({ terms });
const decided = (change: Partial<ReportedSale> = {}, more: Parameters<typeof record>[1] = {}) =>
  when(conversionDecider, none, record(change, { program: withTerms, ...more }));
const instantAfter = (ms: number): string => toInstant(Date.parse(instantOf(0)) + ms);
const fiveMinutes = 5 * 60_000;

describe('a new conversion', () => {
  it('takes the terms that are in force, and keeps them', () => {
    const stored = { ...terms, recurring: 'every' };
    expect(decided()).toEqual([
      {
        type: 'conversion.created',
        data: {
          ...about,
          payable_on: '2026-01-11',
          basis: {
            reported_occurred_at: null,
            terms: { source: 'program', version: 1, terms: stored },
            first_occurred_at: null,
          },
          after: {
            ...fields,
            commission_amount: 990,
            commission: {
              source: 'program',
              terms_version: 1,
              type: 'percentage',
              rate_bps: 2_000,
              why: 'applied',
            },
          },
        },
      },
    ]);
  });

  it('earns an amount that was sent, and keeps the terms all the same', () => {
    for (const commission_amount of [0, -0, 9_999])
      expect(decided({ commission_amount })).toMatchObject([
        {
          data: {
            payable_on: '2026-01-11',
            basis: { terms: { version: 1 } },
            after: { commission_amount: commission_amount + 0, commission: explicitCommission },
          },
        },
      ]);
  });

  it('takes the terms of its affiliate instead, and the hold days of the program', () => {
    const own = { type: 'flat', amounts: { USD: 700 }, recurring: 'every' } as const;
    const affiliate = affiliateWith({
      commission: { ...own, hold_days: null },
      commission_version: 3,
    });
    expect(decided({}, { affiliate })).toMatchObject([
      {
        data: {
          payable_on: '2026-01-11',
          basis: { terms: { source: 'affiliate', version: 3, terms: { ...own, hold_days: 10 } } },
          after: {
            commission_amount: 700,
            commission: {
              source: 'affiliate',
              terms_version: 3,
              type: 'flat',
              rate_bps: null,
              why: 'applied',
            },
          },
        },
      },
    ]);
  });

  it('earns according to its place among the sales to its customer', () => {
    const program = programWith({ terms: { ...terms, recurring: 'first' } });
    expect(decided({}, { program, firstOccurredAt: null })).toMatchObject([
      { data: { after: { commission_amount: 990, commission: { why: 'applied' } } } },
    ]);
    expect(decided({}, { program, firstOccurredAt: instantOf(-1) })).toMatchObject([
      {
        data: {
          basis: { first_occurred_at: instantOf(-1) },
          after: { commission_amount: 0, commission: { why: 'not_first' } },
        },
      },
    ]);
  });

  it.each([
    ['approved', 'automatic', true],
    ['approved', 'manual', false],
    ['pending', 'automatic', false],
  ] as const)(
    'of an affiliate that is %s, with %s approval, is approved at once: %s',
    (status, conversion_approval, isApproved) => {
      const program = programWith({ terms, conversion_approval });
      const [created, approved, ...more] = decided({}, { program, affiliate: affiliateAt(status) });
      expect(created).toMatchObject({
        type: 'conversion.created',
        data: { after: { status: 'pending' } },
      });
      expect(more).toEqual([]);
      if (!isApproved) return expect(approved).toBeUndefined();
      const { basis: _, after: before, ...same } = present(created).data as Record<string, unknown>;
      expect(approved).toEqual({
        type: 'conversion.approved',
        data: { ...same, before, after: { ...(before as object), status: 'approved' } },
      });
    },
  );
});

describe('the time of a sale', () => {
  it.each([
    ['2025-12-31T23:30:00+02:00', '2025-12-31T21:30:00.000Z', '2026-01-10'],
    ['2025-12-31T23:04:00.1239-01:00', '2026-01-01T00:04:00.123Z', '2026-01-11'],
    ['2020-02-29T00:00:00Z', '2020-02-29T00:00:00.000Z', '2024-12-31'],
  ])('%s is stored as %s, and decides when it is payable: %s', (sent, occurred_at, payable_on) => {
    expect(decided({ occurred_at: sent, sale_amount: 1 })).toMatchObject([
      { data: { occurred_at, payable_on, basis: { reported_occurred_at: occurred_at } } },
    ]);
  });

  it('is at most five minutes ahead', () => {
    expect(decided({ occurred_at: instantAfter(fiveMinutes) })).toMatchObject([
      { data: { occurred_at: instantAfter(fiveMinutes) } },
    ]);
    const late = () =>
      decided({ occurred_at: instantAfter(fiveMinutes + 1) }, { affiliate: { kind: 'none' } });
    expect(refusal(late)).toMatchObject({
      code: 'validation_failed',
      detail: textMatching(/at most 5 minutes ahead/),
      extras: { errors: [{ path: '/occurred_at', code: 'too_late' }] },
    });
  });
});

describe('a sale that is sent again', () => {
  const sent = { occurred_at: instantAfter(fiveMinutes), commission_amount: 7 };
  const recorded = given(conversionDecider, ...decided(sent));
  const plain = given(conversionDecider, ...decided());
  const again = (change: Partial<ReportedSale>, to = recorded) =>
    when(conversionDecider, to, record(change, { recordedAt: instantOf(-86_400) }));

  it('is the same sale, whatever the clock and the terms say by now', () => {
    expect(again(sent)).toEqual([]);
    const elsewhere = { ...sent, occurred_at: '2026-01-01T01:05:00.000999+01:00' };
    expect(again(elsewhere)).toEqual([]);
    expect(again({}, plain)).toEqual([]);
  });

  it.each<Partial<ReportedSale>>([
    { commission_amount: 7 },
    { occurred_at: sent.occurred_at },
    { ...sent, commission_amount: 8 },
    { ...sent, occurred_at: instantOf(0) },
  ])('with %j is another one: what was left out differs from any value', (other) => {
    expect(refusal(() => again(other)).code).toBe('conversion_exists');
  });

  it('with the very values that the first one got by default is another one', () => {
    for (const other of [{ occurred_at: instantOf(0) }, { commission_amount: 990 }])
      expect(refusal(() => again(other, plain)).code).toBe('conversion_exists');
  });

  it('is compared with the amount that was sent, not with the present one', () => {
    const changed = given(
      conversionDecider,
      ...decided(sent),
      ...when(conversionDecider, recorded, {
        type: 'update',
        conversion_id: about.conversion_id,
        patch: { commission_amount: null },
        inForce: null,
      }),
    );
    expect(again(sent, changed)).toEqual([]);
  });
});
