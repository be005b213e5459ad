import type { ConversionEvent, ConversionStatus, UpdateConversion } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { programWith, record, update } from '../../test/conversions.js';
import { given, refusal, textMatching, when } from '../../test/scenario.js';
import { newTermsArbitrary } from '../../test/terms.js';
import { appliedTerms } from '../commission/applied-terms.js';
import { conversionRecord } from './conversion.aggregate.js';
import { conversionDecider } from './conversion.decider.js';

const none = given(conversionDecider);
const steps: Record<
  | ConversionStatus
  | 'pending, partly refunded'
  | 'partly refunded'
  | 'pending, partly refunded, rejected'
  | 'partly refunded, rejected',
  UpdateConversion[]
> = {
  pending: [],
  'pending, partly refunded': [{ refunded_amount: 40 }],
  approved: [{ status: 'approved' }],
  'partly refunded': [{ status: 'approved', refunded_amount: 40 }],
  rejected: [{ status: 'rejected' }],
  'pending, partly refunded, rejected': [{ refunded_amount: 40 }, { status: 'rejected' }],
  'partly refunded, rejected': [
    { status: 'approved', refunded_amount: 40 },
    { status: 'rejected' },
  ],
  refunded: [{ status: 'approved' }, { status: 'refunded' }],
};
type From = keyof typeof steps;

/** The events that result from a patch to a sale of 100. The patch names its revision or not. */
const patched = (from: From, patch: UpdateConversion, namesRevision = false) => {
  const events: ConversionEvent[] = [];
  const decide = (command: Parameters<typeof conversionDecider.decide>[0]) =>
    when(
      conversionDecider,
      events.length > 0 ? given(conversionDecider, ...events) : none,
      command,
    );
  events.push(...decide(record({ sale_amount: 100 })));
  for (const step of steps[from]) events.push(...decide(update(step)));
  const made = decide({ ...update(patch), namesRevision });
  events.push(...made);
  return { made, record: present(conversionRecord(given(conversionDecider, ...events))) };
};

describe('a refund of a sale of 100', () => {
  it.each<[From, UpdateConversion, ConversionStatus, number]>([
    ['pending', { sale_amount: 0 }, 'pending', 0],
    ['pending', { refunded_amount: 1 }, 'pending', 1],
    ['pending', { refunded_amount: 99 }, 'pending', 99],
    ['pending', { refunded_amount: 100, sale_amount: 101 }, 'pending', 100],
    ['pending, partly refunded', { refunded_amount: 41 }, 'pending', 41],
    ['pending, partly refunded', { sale_amount: 41 }, 'pending', 40],
    ['pending, partly refunded', { status: 'approved' }, 'approved', 40],
    ['pending, partly refunded', { status: 'approved', refunded_amount: 41 }, 'approved', 41],
    ['pending, partly refunded', { status: 'approved', sale_amount: 41 }, 'approved', 40],
    ['pending, partly refunded', { status: 'rejected' }, 'rejected', 40],
    ['pending, partly refunded, rejected', { status: 'approved' }, 'approved', 40],
    ['approved', { refunded_amount: 1 }, 'approved', 1],
    ['approved', { refunded_amount: 99, status: 'approved' }, 'approved', 99],
    ['approved', { refunded_amount: 100 }, 'refunded', 100],
    ['approved', { refunded_amount: 100, status: 'refunded' }, 'refunded', 100],
    ['approved', { status: 'refunded' }, 'refunded', 100],
    ['partly refunded', { refunded_amount: 41 }, 'approved', 41],
    ['partly refunded', { refunded_amount: 100 }, 'refunded', 100],
    ['partly refunded', { status: 'rejected' }, 'rejected', 40],
    ['partly refunded', { status: 'rejected', refunded_amount: 40 }, 'rejected', 40],
    ['pending', { refunded_amount: 1, status: 'approved' }, 'approved', 1],
    ['pending', { refunded_amount: 7, status: 'approved', sale_amount: 8 }, 'approved', 7],
    ['rejected', { refunded_amount: 1, status: 'approved' }, 'approved', 1],
    ['partly refunded, rejected', { status: 'approved' }, 'approved', 40],
    ['partly refunded, rejected', { status: 'approved', refunded_amount: 41 }, 'approved', 41],
    ['refunded', { status: 'approved' }, 'approved', 0],
    ['refunded', { status: 'approved', refunded_amount: 0 }, 'approved', 0],
    ['refunded', { status: 'approved', refunded_amount: 99 }, 'approved', 99],
  ])('that is %s: %j makes it %s, with %i refunded', (from, patch, status, refunded_amount) => {
    const { made, record } = patched(from, patch);
    expect(made).toHaveLength(1);
    expect(record).toMatchObject({ status, refunded_amount });
  });

  it.each<[From, UpdateConversion]>([
    ['pending', { refunded_amount: 0 }],
    ['pending, partly refunded', { refunded_amount: 40 }],
    ['pending, partly refunded', { refunded_amount: 40, sale_amount: 100 }],
    ['approved', { refunded_amount: -0 }],
    ['partly refunded', { refunded_amount: 40 }],
    ['partly refunded, rejected', { refunded_amount: 40 }],
    ['refunded', { refunded_amount: 100 }],
    ['refunded', { refunded_amount: 100, status: 'refunded' }],
  ])('that is %s: %j changes nothing', (from, patch) => {
    expect(patched(from, patch).made).toEqual([]);
  });

  it.each<[From, UpdateConversion]>([
    ['pending', { refunded_amount: 100 }],
    ['pending', { refunded_amount: 50, sale_amount: 50 }],
    ['pending', { refunded_amount: 1, status: 'rejected' }],
    ['pending, partly refunded', { refunded_amount: 100 }],
    ['rejected', { refunded_amount: 1 }],
    ['rejected', { refunded_amount: 100 }],
    ['partly refunded', { refunded_amount: 41, status: 'rejected' }],
    ['partly refunded, rejected', { refunded_amount: 41 }],
    ['refunded', { refunded_amount: 99 }],
    ['refunded', { refunded_amount: 0 }],
  ])('that is %s: %j is an invalid transition', (from, patch) => {
    expect(refusal(() => patched(from, patch)).code).toBe('invalid_transition');
  });

  it.each<[From, UpdateConversion, RegExp]>([
    [
      'pending',
      { refunded_amount: 100 },
      / is pending and cannot .* refunded\. .*reject it instead/,
    ],
    ['pending', { status: 'refunded' }, / is pending and cannot .* refunded\. .*reject it instead/],
    ['rejected', { status: 'refunded' }, /cannot become refunded\. It can become approved\.$/],
    [
      'rejected',
      { refunded_amount: 1 },
      / is rejected\. refunded_amount can be changed only while/,
    ],
    [
      'approved',
      { refunded_amount: 1, status: 'rejected' },
      / would become rejected\. refunded_am/,
    ],
  ])('that is %s: %j is refused with the reason', (from, patch, detail) => {
    expect(refusal(() => patched(from, patch)).detail).toMatch(detail);
  });

  it.each<[UpdateConversion, string, RegExp]>([
    [{ refunded_amount: 101 }, 'too_large', /but sale_amount is only 100\. Send at most 100/],
    [{ refunded_amount: 101, status: 'refunded' }, 'too_large', /at most/],
    [{ refunded_amount: 99, status: 'refunded' }, 'contradicts_status', /99 of 100 .*refunded/],
    [{ refunded_amount: 0, status: 'refunded' }, 'contradicts_status', /0 of 100 .*refunded/],
    [{ refunded_amount: 100, status: 'approved' }, 'contradicts_status', /100 of 100 .*approved/],
    [{ refunded_amount: 100, status: 'rejected' }, 'contradicts_status', /100 of 100 .*rejected/],
  ])('%j is not valid in any status', (patch, code, detail) => {
    for (const from of Object.keys(steps) as From[])
      expect(refusal(() => patched(from, patch, true))).toMatchObject({
        code: 'validation_failed',
        detail: textMatching(detail),
        extras: { errors: [{ path: '/refunded_amount', code }] },
      });
  });

  it.each<[From, UpdateConversion, ConversionStatus, number]>([
    ['pending, partly refunded', { refunded_amount: 39 }, 'pending', 39],
    ['pending, partly refunded', { refunded_amount: 0 }, 'pending', 0],
    ['pending, partly refunded', { refunded_amount: 10, sale_amount: 20 }, 'pending', 10],
    ['pending, partly refunded', { status: 'approved', refunded_amount: 0 }, 'approved', 0],
    ['partly refunded', { refunded_amount: 39 }, 'approved', 39],
    ['partly refunded', { status: 'approved', refunded_amount: 39 }, 'approved', 39],
    [
      'pending, partly refunded, rejected',
      { status: 'approved', refunded_amount: 0 },
      'approved',
      0,
    ],
    ['partly refunded, rejected', { status: 'approved', refunded_amount: 39 }, 'approved', 39],
  ])(
    'that is %s is lowered by %j only by a request that names the revision',
    (from, patch, status, refunded_amount) => {
      expect(refusal(() => patched(from, patch))).toMatchObject({
        code: 'precondition_required',
        detail: textMatching(/ is 40, the sum .* would lower it.* late or repeated .* ETag in If-/),
      });
      expect(patched(from, patch, true).record).toMatchObject({ status, refunded_amount });
    },
  );

  it.each<[From, UpdateConversion, 'invalid_transition' | 'validation_failed']>([
    ['partly refunded, rejected', { refunded_amount: 0 }, 'invalid_transition'],
    ['partly refunded', { refunded_amount: 0, sale_amount: 1 }, 'invalid_transition'],
    ['partly refunded', { refunded_amount: 39, status: 'rejected' }, 'invalid_transition'],
    ['partly refunded', { refunded_amount: 39, status: 'refunded' }, 'validation_failed'],
  ])('that is %s must name the revision for %j before other rules count', (from, patch, code) => {
    expect(refusal(() => patched(from, patch)).code).toBe('precondition_required');
    expect(refusal(() => patched(from, patch, true)).code).toBe(code);
  });

  it.each<[UpdateConversion, RegExp]>([
    [
      { sale_amount: 40 },
      /sale_amount was 40, but refunded_amount is 40 already\. Send more than 40/,
    ],
    [{ sale_amount: 0 }, /was 0/],
    [{ sale_amount: 39, status: 'approved' }, /was 39/],
    [{ sale_amount: 39, status: 'rejected' }, /was 39/],
  ])('before approval: %j leaves less than was refunded', (patch, detail) => {
    expect(refusal(() => patched('pending, partly refunded', patch))).toMatchObject({
      code: 'validation_failed',
      detail: textMatching(detail),
      extras: { errors: [{ path: '/sale_amount', code: 'too_small' }] },
    });
  });

  it('is compared with the amount after the same patch', () => {
    const patch = { status: 'approved', refunded_amount: 150 } as const;
    expect(patched('pending', { ...patch, sale_amount: 200 }).record).toMatchObject({
      sale_amount: 200,
      refunded_amount: 150,
    });
    expect(refusal(() => patched('pending', patch)).code).toBe('validation_failed');
  });
});

/** A sale's amount, and the sums of its refunds in the order in which their requests arrive. */
const sale = fc.integer({ min: 2, max: 100_000 }).chain((sale_amount) =>
  fc.record({
    sale_amount: fc.constant(sale_amount),
    terms: newTermsArbitrary,
    sums: fc.array(fc.integer({ min: 1, max: sale_amount - 1 }), { minLength: 1, maxLength: 6 }),
    approvedAt: fc.nat(6),
  }),
);

it('refunds that overtake each other or are sent again end at the largest sum', () => {
  fc.assert(
    fc.property(sale, ({ sale_amount, terms, sums, approvedAt }) => {
      const events: ConversionEvent[] = [];
      const decide = (command: Parameters<typeof conversionDecider.decide>[0]): void =>
        void events.push(...when(conversionDecider, given(conversionDecider, ...events), command));
      const current = () => present(conversionRecord(given(conversionDecider, ...events)));
      decide(record({ sale_amount }, { program: programWith({ terms }) }));
      let largest = 0;
      for (const [index, refunded_amount] of [...sums, ...sums].entries()) {
        if (index === approvedAt) decide(update({ status: 'approved' }));
        const { commission_amount: before } = current();
        const refund = () => decide(update({ refunded_amount }));
        if (refunded_amount < largest) expect(refusal(refund).code).toBe('precondition_required');
        else refund();
        largest = Math.max(largest, refunded_amount);
        expect(current().commission_amount).toBeLessThanOrEqual(before);
      }
      const { status, refunded_amount, commission_amount, commission, ...last } = current();
      expect([status, refunded_amount]).toEqual([
        approvedAt < 2 * sums.length ? 'approved' : 'pending',
        Math.max(...sums),
      ]);
      expect({ commission_amount, commission }).toEqual(
        appliedTerms(
          {
            netAmount: sale_amount - Math.max(...sums),
            currency: last.sale_currency,
            occurredAt: last.occurred_at,
            firstOccurredAt: null,
          },
          events[0]?.type === 'conversion.created' ? events[0].data.basis.terms : null,
        ),
      );
    }),
  );
});
