import {
  affiliateStatsSchema,
  type AffiliateStatus,
  type ConversionId,
  type ConversionRecord,
  type ConversionStatus,
  type EventInputOf,
  type TermsInForce,
} from '@refledger/contracts';
import {
  affiliateDecider,
  conversionDecider,
  programDecider,
  type ConversionState,
} from '@refledger/domain';
import { affiliateEvents } from '@refledger/domain/testing';
import { present } from '@refledger/testing/present';
import * as fc from 'fast-check';
import {
  affiliateCreated,
  affiliateDeleted,
  affiliateFields,
  affiliateId,
  conversionChanged,
  conversionCreated,
  conversionTrail,
} from '../test/builders.js';
import { documentsOf, minute, position, record, type HistoryEvent } from '../test/history.js';
import { affiliateStatsProjection, statsFromDocument } from './affiliate-stats.projection.js';
import { conversionsProjection } from './conversions.projection.js';

const affiliate: HistoryEvent = { stream: 'refledger.affiliate-aff_1', event: affiliateCreated };
const on = (event: EventInputOf<'conversion'>): HistoryEvent => ({
  stream: `refledger.conversion-${event.data.conversion_id}`,
  event,
});
const zero = { total: 0, pending: 0, approved: 0, rejected: 0, refunded: 0 };
const noMoney = { total: 0n, pending: 0n, approved: 0n, rejected: 0n, refunded: 0n };
const statsAfter = (...events: HistoryEvent[]) => {
  const document = documentsOf(affiliateStatsProjection, record(events)).get(affiliateId);
  return document && statsFromDocument(document, position(events.length));
};

it('starts at zero with the affiliate', () => {
  expect(statsAfter(affiliate)).toEqual({
    object: 'affiliate_stats',
    affiliate_id: 'aff_1',
    conversions: zero,
    currencies: [],
    first_conversion_at: null,
    last_conversion_at: null,
    position: '1',
  });
});

it('adds up each currency separately, exactly beyond 2^53, with the first and last time', () => {
  const amount = 2 ** 53 - 1;
  const stats = statsAfter(
    affiliate,
    on(conversionCreated({ sale_amount: amount }, 'conv_1')),
    on(conversionCreated({ sale_amount: amount }, 'conv_2')),
    on(conversionCreated({ sale_amount: 7, commission_amount: 2 }, 'conv_3', 'EUR')),
    on(
      conversionChanged(
        'conversion.approved',
        { sale_amount: 7, commission_amount: 2 },
        { sale_amount: 7, commission_amount: 2, status: 'approved' },
        { id: 'conv_3', currency: 'EUR' },
      ),
    ),
  );

  const sum = BigInt(amount) * 2n;
  expect(stats).toEqual({
    object: 'affiliate_stats',
    affiliate_id: 'aff_1',
    conversions: { ...zero, total: 3, pending: 2, approved: 1 },
    currencies: [
      {
        currency: 'EUR',
        conversions: { ...zero, total: 1, approved: 1 },
        sale_amount: { ...noMoney, total: 7n, approved: 7n },
        commission_amount: { ...noMoney, total: 2n, approved: 2n, paid: 0n, unpaid: 2n },
      },
      {
        currency: 'USD',
        conversions: { ...zero, total: 2, pending: 2 },
        sale_amount: { ...noMoney, total: sum, pending: sum },
        commission_amount: { ...noMoney, paid: 0n, unpaid: 0n },
      },
    ],
    first_conversion_at: minute(2),
    last_conversion_at: minute(4),
    position: '5',
  });
  expect(sum > BigInt(Number.MAX_SAFE_INTEGER)).toBe(true);
});

it('counts the refunded part of a sale as refunded, and not its commission', () => {
  const approved = { sale_amount: 100, commission_amount: 20, status: 'approved' } as const;
  const partly = { ...approved, commission_amount: 15, refunded_amount: 25 };
  const events = [
    affiliate,
    on(conversionCreated(approved)),
    on(conversionChanged('conversion.updated', approved, partly)),
  ];
  expect(statsAfter(...events)).toMatchObject({
    conversions: { ...zero, total: 1, approved: 1 },
    currencies: [
      {
        sale_amount: { ...noMoney, total: 100n, approved: 75n, refunded: 25n },
        commission_amount: { ...noMoney, total: 15n, approved: 15n },
      },
    ],
  });
  const all = { ...partly, refunded_amount: 100, status: 'refunded' } as const;
  expect(
    statsAfter(...events, on(conversionChanged('conversion.refunded', partly, all))),
  ).toMatchObject({
    conversions: { ...zero, total: 1, refunded: 1 },
    currencies: [
      {
        sale_amount: { ...noMoney, total: 100n, refunded: 100n },
        commission_amount: { ...noMoney, total: 15n, refunded: 15n },
      },
    ],
  });
});

it('counts the commission of a conversion as paid while it shows a payout and is approved', () => {
  const approved = { commission_amount: 20, status: 'approved' } as const;
  const paid = { ...approved, payout_id: 'pay_1' } as const;
  const refunded = { ...paid, status: 'refunded' } as const;
  const figuresAfter = (...events: readonly EventInputOf<'conversion'>[]) =>
    statsAfter(affiliate, on(conversionCreated(approved)), ...events.map(on))?.currencies[0]
      ?.commission_amount;
  const pay = conversionTrail('conversion.paid', approved, paid);
  expect(figuresAfter(pay)).toMatchObject({ approved: 20n, paid: 20n, unpaid: 0n });
  const less = { ...paid, commission_amount: 15 };
  expect(figuresAfter(pay, conversionChanged('conversion.updated', paid, less))).toMatchObject({
    paid: 15n,
    unpaid: 0n,
  });
  expect(figuresAfter(pay, conversionTrail('conversion.unpaid', paid, approved))).toMatchObject({
    paid: 0n,
    unpaid: 20n,
  });
  expect(figuresAfter(pay, conversionChanged('conversion.refunded', paid, refunded))).toMatchObject(
    { approved: 0n, refunded: 20n, paid: 0n, unpaid: 0n },
  );
});

it('is removed with the affiliate, whatever its conversions do later', () => {
  const deleted: HistoryEvent = { stream: affiliate.stream, event: affiliateDeleted };
  expect(
    documentsOf(
      affiliateStatsProjection,
      record([
        affiliate,
        on(conversionCreated()),
        deleted,
        on(conversionChanged('conversion.approved', {}, { status: 'approved' })),
      ]),
    ).get(affiliateId),
  ).toBeNull();
});

it('equals the sum of the conversions after any history', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const events = record([affiliate, ...history(steps)]);
      const rows = [...documentsOf(conversionsProjection, events).values()].map(
        (document) => present(document).record as ConversionRecord,
      );
      const stats = statsFromDocument(
        present(documentsOf(affiliateStatsProjection, events).get(affiliateId)),
        position(events.length),
      );

      expect(stats.conversions).toEqual(counts(rows));
      expect(stats.currencies).toEqual(
        [...new Set(rows.map((row) => row.sale_currency))].sort().map((currency) =>
          figures(
            rows.filter((row) => row.sale_currency === currency),
            currency,
          ),
        ),
      );
      const times = rows.map((row) => row.created_at).sort();
      expect([stats.first_conversion_at, stats.last_conversion_at]).toEqual([
        times[0] ?? null,
        times.at(-1) ?? null,
      ]);
      expect(Object.keys(stats).sort()).toEqual(Object.keys(affiliateStatsSchema.shape).sort());
    }),
  );
});

const statuses: readonly ConversionStatus[] = ['pending', 'approved', 'rejected', 'refunded'];
const total = <T>(
  rows: readonly ConversionRecord[],
  sum: (rows: readonly ConversionRecord[]) => T,
) => ({
  total: sum(rows),
  ...Object.fromEntries(
    statuses.map((status) => [status, sum(rows.filter((row) => row.status === status))]),
  ),
});
const counts = (rows: readonly ConversionRecord[]) => total(rows, (some) => some.length);
const sumOf = (rows: readonly ConversionRecord[], of: (row: ConversionRecord) => number) =>
  rows.reduce((sum, row) => sum + BigInt(of(row)), 0n);
/** Each status has the net amounts of its rows; `refunded` also has every row's refunded part. */
const sales = (rows: readonly ConversionRecord[]) => {
  const net = total(rows, (some) =>
    sumOf(some, ({ sale_amount, refunded_amount }) => sale_amount - refunded_amount),
  ) as Record<ConversionStatus | 'total', bigint>;
  const refunded = sumOf(rows, ({ refunded_amount }) => refunded_amount);
  return { ...net, total: net.total + refunded, refunded: net.refunded + refunded };
};
const figures = (rows: readonly ConversionRecord[], currency: string) => {
  const commission = total(rows, (some) =>
    sumOf(some, ({ commission_amount }) => commission_amount),
  ) as Record<ConversionStatus | 'total', bigint>;
  const isPaid = ({ status, payout_id }: ConversionRecord) =>
    status === 'approved' && payout_id !== null;
  const paid = sumOf(rows.filter(isPaid), ({ commission_amount }) => commission_amount);
  return {
    currency,
    conversions: counts(rows),
    sale_amount: sales(rows),
    commission_amount: { ...commission, paid, unpaid: commission.approved - paid },
  };
};

const twentyPercent: TermsInForce = {
  source: 'program',
  version: 1,
  terms: { type: 'percentage', rate_bps: 2_000, recurring: 'every', hold_days: 30 },
};
const patch = fc
  .record(
    {
      status: fc.constantFrom('approved' as const, 'rejected' as const, 'refunded' as const),
      sale_amount: fc.nat(1000),
      refunded_amount: fc.nat(1000),
      commission_amount: fc.option(fc.nat(1000)),
      commission: fc.constant('by_terms' as const),
    },
    { requiredKeys: [] },
  )
  .chain((sent) =>
    fc.record({
      type: fc.constant('update' as const),
      patch: fc.constant(sent),
      inForce: fc.constant(twentyPercent),
      namesRevision: fc.boolean(),
    }),
  );
const payout = fc
  .integer({ min: 1, max: 4 })
  .map((number) => ({ payout_id: `pay_${number}` as const, payout_number: number, amount: 1 }));

/** What happens to one of a few conversions. If the decider refuses it, there is no event. */
const step = fc.record({
  conversion: fc.constantFrom<ConversionId>('conv_1', 'conv_2', 'conv_3'),
  currency: fc.constantFrom('USD', 'EUR'),
  amount: fc.oneof(fc.nat(2000), fc.nat(999_999_999_999)),
  ownerStatus: fc.constantFrom('pending' as const, 'approved' as const),
  hasTerms: fc.boolean(),
  change: fc.oneof(
    { arbitrary: patch, weight: 2 },
    { arbitrary: payout.map((part) => ({ type: 'pay' as const, part })), weight: 1 },
    {
      arbitrary: payout.map(({ payout_id }) => ({ type: 'unpay' as const, payout_id })),
      weight: 1,
    },
  ),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A program with terms, which approves the sales of approved affiliates. */
const program = programDecider
  .decide(
    {
      type: 'create',
      program_id: 'prog_spring',
      program: {
        name: 'Spring',
        terms: { type: 'percentage', rate_bps: 1234 },
        conversion_approval: 'automatic',
      },
      isIdChosen: true,
    },
    programDecider.initial,
  )
  .reduce(
    (state, event) => programDecider.evolve(state, event, { revision: 0, recordedAt: minute(1) }),
    programDecider.initial,
  );
const ownerAt = (status: AffiliateStatus) =>
  affiliateDecider.evolve(
    affiliateDecider.initial,
    affiliateEvents.created(
      { affiliate_id: affiliateId, program_id: 'prog_spring' },
      affiliateFields({ status }),
    ),
    { revision: 0, recordedAt: minute(1) },
  );

const history = (steps: readonly Step[]): HistoryEvent[] => {
  const states = new Map<ConversionId, ConversionState>();
  return steps.flatMap(({ conversion, currency, amount, ownerStatus, hasTerms, change }) => {
    const state = states.get(conversion) ?? conversionDecider.initial;
    try {
      const events = conversionDecider.decide(
        state.kind === 'none'
          ? {
              type: 'record',
              program: hasTerms ? program : programDecider.initial,
              firstOccurredAt: null,
              recordedAt: minute(1),
              conversion_id: conversion,
              affiliate: ownerAt(ownerStatus),
              sale: { affiliate_id: affiliateId, sale_amount: amount, sale_currency: currency },
            }
          : { ...change, conversion_id: conversion },
        state,
      );
      states.set(
        conversion,
        events.reduce(
          (now, event) =>
            conversionDecider.evolve(now, event, { revision: 0, recordedAt: minute(1) }),
          state,
        ),
      );
      return events.map(on);
    } catch {
      return [];
    }
  });
};
