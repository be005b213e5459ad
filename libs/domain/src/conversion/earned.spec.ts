import { conversionSchema, conversionStatuses, explicitCommission } from '@refledger/contracts';
import type {
  ConversionEvent,
  ConversionRecord,
  TermsInForce,
  UpdateConversion,
} from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { programWith, record, update } from '../../test/conversions.js';
import { given, metadataArbitrary, obeysLaws, refusal, when } from '../../test/scenario.js';
import { newTermsArbitrary } from '../../test/terms.js';
import { appliedTerms } from '../commission/applied-terms.js';
import { storedTerms } from '../commission/stored-terms.js';
import { conversionRecord } from './conversion.aggregate.js';
import { conversionDecider, type ConversionCommand } from './conversion.decider.js';

const none = given(conversionDecider);
const applied = {
  source: 'program',
  terms_version: 1,
  type: 'percentage',
  rate_bps: 2_000,
  why: 'applied',
} as const;

/** The record after a sale of 200.00 at 20% and these patches, and the types of all events. */
const earnedAfter = (...patches: readonly UpdateConversion[]) => {
  const program = programWith({ terms: { type: 'percentage', rate_bps: 2_000 } });
  const events: ConversionEvent[] = [
    ...when(conversionDecider, none, record({ sale_amount: 20_000 }, { program })),
  ];
  for (const patch of patches)
    events.push(...when(conversionDecider, given(conversionDecider, ...events), update(patch)));
  const { sale_amount, refunded_amount, ...rest } = present(
    conversionRecord(given(conversionDecider, ...events)),
  );
  const { status, commission_amount, commission, reason } = rest;
  return {
    types: events.map(({ type }) => type.slice('conversion.'.length)),
    sale_amount,
    refunded_amount,
    status,
    commission_amount,
    commission,
    reason,
  };
};

describe('the commission of a sale of 200.00 at 20%', () => {
  const approved = { status: 'approved' } as const;
  const refunded = { status: 'refunded' } as const;
  const partly = { refunded_amount: 5_000 };
  const explicit = { commission_amount: 3_500 };

  it.each<[string, UpdateConversion[], number, Partial<ConversionRecord>]>([
    ['pending', [], 4_000, { status: 'pending', commission: applied }],
    ['approved', [approved], 4_000, { status: 'approved', commission: applied }],
    ['partly refunded', [approved, partly], 3_000, { status: 'approved', commission: applied }],
    ['partly refunded while pending', [partly], 3_000, { status: 'pending', commission: applied }],
    [
      'partly refunded while pending, then approved',
      [partly, approved],
      3_000,
      { status: 'approved', refunded_amount: 5_000 },
    ],
    [
      'partly refunded while pending, then explicit and approved',
      [partly, explicit, approved],
      3_500,
      { refunded_amount: 5_000, commission: explicitCommission },
    ],
    [
      'partly refunded while pending, of another amount',
      [partly, { sale_amount: 10_000 }],
      1_000,
      { status: 'pending', refunded_amount: 5_000 },
    ],
    [
      'partly refunded, then explicit',
      [approved, partly, explicit],
      3_500,
      { refunded_amount: 5_000, commission: explicitCommission },
    ],
    [
      'that is explicit and refunded',
      [approved, partly, explicit, refunded],
      3_500,
      { status: 'refunded', refunded_amount: 20_000, commission: explicitCommission },
    ],
    [
      'that is explicit, refunded and approved again',
      [approved, partly, explicit, refunded, approved],
      3_500,
      { status: 'approved', refunded_amount: 0, commission: explicitCommission },
    ],
    [
      'refunded',
      [approved, partly, refunded],
      3_000,
      { status: 'refunded', refunded_amount: 20_000, commission: applied },
    ],
    [
      'refunded and approved again',
      [approved, partly, refunded, approved],
      4_000,
      { status: 'approved', refunded_amount: 0, commission: applied },
    ],
    [
      'refunded and approved again in part',
      [approved, refunded, { ...approved, ...partly }],
      3_000,
      { status: 'approved', refunded_amount: 5_000 },
    ],
    ['rejected while pending', [{ status: 'rejected' }], 4_000, { status: 'rejected' }],
    [
      'rejected when partly refunded',
      [approved, partly, { status: 'rejected' }],
      3_000,
      { status: 'rejected', refunded_amount: 5_000 },
    ],
    [
      'rejected when partly refunded, and approved again',
      [approved, partly, { status: 'rejected' }, approved],
      3_000,
      { status: 'approved', refunded_amount: 5_000 },
    ],
    ['of another amount', [{ sale_amount: 10_000 }], 2_000, { commission: applied }],
    [
      'that is explicit, of another amount',
      [explicit, { sale_amount: 10_000 }],
      3_500,
      { commission: explicitCommission },
    ],
    [
      'that is explicit while rejected',
      [{ status: 'rejected' }, explicit],
      3_500,
      { commission: explicitCommission },
    ],
    [
      'that returned to the terms',
      [explicit, { sale_amount: 10_000 }, { commission_amount: null }],
      2_000,
      { commission: applied },
    ],
    [
      'that is explicit and equal to what the terms give',
      [{ commission_amount: 4_000 }],
      4_000,
      { commission: explicitCommission },
    ],
    [
      'approved again with an explicit one',
      [approved, refunded, { ...approved, ...explicit }],
      3_500,
      { status: 'approved', commission: explicitCommission },
    ],
  ])('%s', (_, patches, commission_amount, more) => {
    const last = earnedAfter(...patches);
    expect(last).toMatchObject({ commission_amount, ...more });
    // a patch that is sent again changes nothing
    expect(earnedAfter(...patches, ...patches.slice(-1))).toEqual(last);
  });

  it('is changed by conversion.updated, and refunded in full by conversion.refunded', () => {
    const all = { refunded_amount: 20_000 };
    expect(earnedAfter(approved, partly, explicit, all).types).toEqual([
      'created',
      'approved',
      'updated',
      'updated',
      'refunded',
    ]);
  });

  it('stays as it is when null is sent to one that is under terms', () => {
    const back = { commission_amount: null };
    expect(earnedAfter(back).types).toEqual(['created']);
    expect(earnedAfter(approved, refunded, back)).toEqual(earnedAfter(approved, refunded));
  });

  it.each<UpdateConversion>([{ commission_amount: 1 }, { commission_amount: 3_500 }])(
    'cannot be changed by %j once it is refunded, nor in the patch that refunds it',
    (patch) => {
      for (const patches of [
        [approved, refunded, patch],
        [approved, { ...refunded, ...patch }],
      ])
        expect(refusal(() => earnedAfter(...patches)).code).toBe('invalid_transition');
    },
  );

  it('that is explicit cannot return to the terms once it is refunded', () => {
    const back = { commission_amount: null };
    const steps = [approved, explicit, refunded];
    expect(refusal(() => earnedAfter(...steps, back)).code).toBe('invalid_transition');
    expect(earnedAfter(...steps, explicit)).toEqual(earnedAfter(...steps));
    expect(earnedAfter(...steps, { ...back, ...approved })).toMatchObject({
      commission_amount: 4_000,
    });
  });
});

describe('the reason', () => {
  const approved = { status: 'approved', reason: 'checked' } as const;

  it.each<[UpdateConversion[], string | null]>([
    [[approved, { refunded_amount: 1, reason: 'broken' }], 'broken'],
    [[approved, { commission_amount: 1, reason: 'bonus' }], 'bonus'],
    [[approved, { refunded_amount: 1 }], 'checked'],
    [[approved, { commission_amount: 1 }], 'checked'],
    [[approved, { refunded_amount: 0, reason: 'nothing' }], 'checked'],
    [[approved, { refunded_amount: 0, metadata: {}, reason: 'nothing' }], 'checked'],
    [[approved, { refunded_amount: 20_000, reason: 'all' }], 'all'],
    [[approved, { refunded_amount: 20_000 }], null],
    [[approved, { status: 'rejected' }], null],
  ])('after %j is %j', (patches, reason) => {
    expect(earnedAfter(...patches).reason).toBe(reason);
  });
});

const amount = fc.oneof(fc.constantFrom(0, -0, 1, 100), fc.nat(200), fc.nat(999_999_999_999));
const patch: fc.Arbitrary<UpdateConversion> = fc.record(
  {
    status: fc.constantFrom('approved' as const, 'rejected' as const, 'refunded' as const),
    reason: fc.constantFrom('a', 'b'),
    sale_amount: amount,
    refunded_amount: amount,
    commission_amount: fc.option(amount),
    metadata: metadataArbitrary,
  },
  { requiredKeys: [] },
);
const recording = fc
  .record({
    terms: fc.option(newTermsArbitrary),
    conversion_approval: fc.constantFrom('manual' as const, 'automatic' as const),
    firstOccurredAt: fc.constantFrom(null, '2025-06-30T00:00:00.000Z'),
    sale: fc.record(
      {
        sale_amount: amount,
        commission_amount: amount,
        occurred_at: fc.constantFrom('2025-12-31T23:30:00-00:30', '2025-07-30T00:00:00Z'),
      },
      { requiredKeys: ['sale_amount'] },
    ),
  })
  .map(({ terms, conversion_approval, firstOccurredAt, sale }) =>
    record(sale, { firstOccurredAt, program: programWith({ terms, conversion_approval }) }),
  );
const byTerms = fc.record(
  { commission: fc.constant('by_terms' as const), status: fc.constantFrom('approved' as const) },
  { requiredKeys: ['commission'] },
);
const inForce = fc.option(
  fc.record({
    source: fc.constantFrom('program' as const, 'affiliate' as const),
    version: fc.integer({ min: 1, max: 9 }),
    terms: newTermsArbitrary.map(storedTerms),
  }),
);
const commands: fc.Arbitrary<ConversionCommand> = fc.oneof(
  recording,
  {
    weight: 8,
    arbitrary: fc
      .tuple(patch, inForce, fc.boolean())
      .map(([sent, terms, namesRevision]) => ({ ...update(sent, terms), namesRevision })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(byTerms, inForce).map(([sent, terms]) => update(sent, terms)),
  },
);

it('a conversion obeys its laws, whatever its terms and the changes', () => {
  obeysLaws(conversionDecider, commands, ({ state, event, history }) => {
    if (state.kind === 'none') throw new Error('it was recorded');
    const record = conversionSchema.parse(state.record);
    const { status, sale_amount, refunded_amount, commission_amount, commission } = record;
    expect(record).toMatchObject(event.data.after);
    expect(refunded_amount).toBeLessThanOrEqual(sale_amount);
    if (sale_amount > 0) expect(refunded_amount === sale_amount).toBe(status === 'refunded');
    const [{ data: first }] = history as [Extract<ConversionEvent, { type: 'conversion.created' }>];
    expect(record).toMatchObject({ occurred_at: first.occurred_at, payable_on: first.payable_on });
    expect(state.created).toEqual(first);
    const taken = termsTaken(history);
    // once it has terms, they never change
    expect(taken.length).toBeLessThanOrEqual(1);
    const terms = taken[0] ?? null;
    expect(state.terms).toEqual(terms);
    if (commission.source === 'explicit' || status === 'refunded') return;
    const { first_occurred_at: firstOccurredAt } = first.basis;
    expect({ commission_amount, commission }).toEqual(
      appliedTerms(
        {
          netAmount: sale_amount - refunded_amount,
          currency: record.sale_currency,
          occurredAt: record.occurred_at,
          firstOccurredAt,
        },
        terms,
      ),
    );
  });
});

/** The terms that its events say the conversion has taken. */
const termsTaken = (history: readonly ConversionEvent[]): readonly TermsInForce[] =>
  history.flatMap((event) => {
    const terms =
      event.type === 'conversion.created'
        ? event.data.basis.terms
        : 'terms' in event.data
          ? event.data.terms
          : undefined;
    return terms ? [terms] : [];
  });

it.each(conversionStatuses)('a sale of 0 can be %s, with nothing refunded', (status) => {
  const steps = {
    pending: [],
    approved: ['approved'],
    rejected: ['rejected'],
    refunded: ['approved', 'refunded'],
  } as const;
  const patches = steps[status].map((to) => ({ status: to }));
  const nothing = earnedAfter({ sale_amount: 0 }, ...patches);
  expect(nothing).toMatchObject({ status, refunded_amount: 0, commission_amount: 0 });
  expect(earnedAfter({ sale_amount: 0 }, ...patches, { refunded_amount: 0 })).toEqual(nothing);
});
