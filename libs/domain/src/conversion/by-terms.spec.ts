import type {
  ConversionEvent,
  ConversionRecord,
  NewTerms,
  ReportedSale,
  TermsInForce,
  UpdateConversion,
} from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import {
  affiliateAt,
  affiliateWith,
  deletedAffiliate,
  programWith,
  record,
  update,
} from '../../test/conversions.js';
import { given, refusal, when } from '../../test/scenario.js';
import { newTermsArbitrary } from '../../test/terms.js';
import type { AffiliateState } from '../affiliate/affiliate.decider.js';
import { storedAffiliateTerms, storedTerms } from '../commission/stored-terms.js';
import { conversionRecord } from './conversion.aggregate.js';
import { conversionDecider } from './conversion.decider.js';
import { currentTerms } from './current-terms.js';
import type { RecordSale } from './new-conversion.js';

const none = given(conversionDecider);
const byTerms = { commission: 'by_terms' } as const;
const percentage = (rate_bps: number, more: Partial<NewTerms> = {}): TermsInForce => ({
  source: 'program',
  version: 1,
  terms: storedTerms({ type: 'percentage', rate_bps, ...more } as NewTerms),
});
const twenty = percentage(2_000);

type Step = UpdateConversion | readonly [UpdateConversion, TermsInForce | null];
/** The events of a sale of 200.00 in a program without terms, and of these patches. */
const eventsOf = (
  steps: readonly Step[],
  sale: Partial<ReportedSale> = {},
  more: Partial<RecordSale> = {},
): readonly ConversionEvent[] => {
  const recording = record({ sale_amount: 20_000, ...sale }, { program: programWith({}), ...more });
  const events: ConversionEvent[] = [...when(conversionDecider, none, recording)];
  for (const step of steps) {
    const [patch, inForce] = 'length' in step ? step : [step, twenty];
    const state = given(conversionDecider, ...events);
    events.push(...when(conversionDecider, state, update(patch, inForce)));
  }
  return events;
};
const recordOf = (events: readonly ConversionEvent[]): ConversionRecord =>
  present(conversionRecord(given(conversionDecider, ...events)));
const recordAfter = (...steps: readonly Step[]) => recordOf(eventsOf(steps));

const approved = { status: 'approved' } as const;
const applied = {
  source: 'program',
  terms_version: 1,
  type: 'percentage',
  rate_bps: 2_000,
  why: 'applied',
};

describe('a sale that was recorded without terms', () => {
  it('takes the terms in force when it is asked to, and its event holds them', () => {
    const [created, updated, ...more] = eventsOf([{ ...byTerms, reason: 'a typo' }]);
    expect(more).toEqual([]);
    expect(updated).toMatchObject({
      type: 'conversion.updated',
      data: {
        terms: twenty,
        reason: 'a typo',
        before: { commission_amount: 0, commission: { why: 'no_terms' } },
        after: { commission_amount: 4_000, commission: applied, reason: 'a typo' },
      },
    });
    expect(recordOf([present(created), present(updated)])).toMatchObject({
      revision: 1,
      commission: applied,
    });
  });

  it.each<[string, Step[], number]>([
    ['while it is approved', [approved, byTerms], 4_000],
    ['while it is rejected', [{ status: 'rejected' }, byTerms], 4_000],
    ['in the patch that approves it', [{ ...approved, ...byTerms }], 4_000],
    ['in a patch with another amount', [{ ...byTerms, sale_amount: 10_000 }], 2_000],
    ['after a partial refund', [approved, { refunded_amount: 5_000 }, byTerms], 3_000],
    ['in the patch of a partial refund', [approved, { ...byTerms, refunded_amount: 5_000 }], 3_000],
    [
      'in the patch that approves it again after a refund',
      [approved, { status: 'refunded' }, { ...approved, ...byTerms }],
      4_000,
    ],
    ['before a partial refund', [approved, byTerms, { refunded_amount: 5_000 }], 3_000],
    [
      'after its explicit amount was taken back',
      [{ commission_amount: 7 }, { commission_amount: null }, byTerms],
      4_000,
    ],
    [
      'and returns to them after an explicit amount',
      [byTerms, { commission_amount: 7 }, [{ commission_amount: null }, percentage(1)]],
      4_000,
    ],
  ])('takes them %s', (_, steps, commission_amount) => {
    expect(recordAfter(...steps)).toMatchObject({ commission_amount, commission: applied });
  });

  it('makes one event of a patch that also changes its status', () => {
    const types = eventsOf([{ ...approved, ...byTerms }]).map(({ type }) => type);
    expect(types).toEqual(['conversion.created', 'conversion.approved']);
  });

  it('keeps the terms that it took, and the day on which it is payable', () => {
    const { payable_on } = recordAfter();
    const taken = recordAfter([byTerms, percentage(2_000, { hold_days: 0 })]);
    expect(taken.payable_on).toBe(payable_on);
    for (const later of [percentage(1), null])
      expect(recordAfter([byTerms, twenty], [byTerms, later])).toEqual(recordAfter(byTerms));
    expect(recordAfter([byTerms, twenty], [{ sale_amount: 10_000 }, percentage(1)])).toMatchObject({
      commission_amount: 2_000,
    });
  });

  it('takes a commission of 0 as well, and then its recorded terms decide', () => {
    const nothing = recordAfter([byTerms, percentage(0)]);
    expect(nothing).toMatchObject({ commission_amount: 0, commission: { why: 'applied' } });
    expect(recordAfter([byTerms, percentage(0)], byTerms)).toEqual(nothing);
  });

  it.each<[string, readonly Step[], RegExp]>([
    ['there are no terms', [[byTerms, null]], /program prog_a has none.*Set the program's terms/],
    [
      'its amount is explicit',
      [{ commission_amount: 7 }, byTerms],
      /explicit.*commission_amount null first/,
    ],
    ['it is refunded', [approved, { status: 'refunded' }, byTerms], /refunded/],
    ['the same patch refunds it', [approved, { status: 'refunded', ...byTerms }], /refunds it/],
    [
      'the same patch refunds all of it',
      [approved, { refunded_amount: 20_000, ...byTerms }],
      /refu/,
    ],
  ])('is refused its terms if %s', (_, steps, detail) => {
    const { code, detail: said } = refusal(() => recordAfter(...steps));
    expect(code).toBe('invalid_transition');
    expect(said).toMatch(detail);
  });
});

it('a sale that has terms stays as it is, whatever is in force and even when it is refunded', () => {
  const program = programWith({ terms: { type: 'percentage', rate_bps: 1_000 } });
  for (const steps of [[], [approved], [approved, { status: 'refunded' } as const]])
    for (const inForce of [twenty, null]) {
      const events = eventsOf(steps, {}, { program });
      expect(eventsOf([...steps, [byTerms, inForce]], {}, { program })).toEqual(events);
    }
});

it('earns what it would earn if it had been recorded under the terms, whatever comes after', () => {
  const amount = fc.oneof(fc.nat(200), fc.nat(999_999_999_999));
  const patches = fc.array(
    fc.record(
      {
        status: fc.constantFrom('approved' as const, 'rejected' as const, 'refunded' as const),
        sale_amount: amount,
        refunded_amount: amount,
        commission_amount: fc.option(amount),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 6 },
  );
  const sold = fc.record({
    sale_amount: amount,
    sale_currency: fc.constantFrom('USD', 'EUR', 'JPY'),
    occurred_at: fc.constantFrom('2025-12-31T23:30:00Z', '2025-07-30T00:00:00Z'),
  });
  const first = fc.constantFrom(null, '2025-06-30T00:00:00.000Z');
  fc.assert(
    fc.property(
      fc.record({
        ofProgram: newTermsArbitrary,
        own: fc.option(newTermsArbitrary),
        sale: sold,
        firstOccurredAt: first,
        changes: patches,
      }),
      ({ ofProgram, own, sale, firstOccurredAt, changes }) => {
        const program = programWith({ terms: ofProgram });
        const affiliate = affiliateWith(
          own === null ? {} : { commission: storedAffiliateTerms(own), commission_version: 1 },
        );
        const inForce = currentTerms(program, recordIn(affiliate));
        const pairs = [
          eventsOf([], sale, { firstOccurredAt, program, affiliate }),
          eventsOf([[byTerms, inForce]], sale, { firstOccurredAt }),
        ] as const;
        const [direct, later] = pairs.map((events) => changed(events, changes));
        const {
          payable_on: _a,
          updated_at: _u,
          approved_at: _p,
          revision,
          ...expected
        } = present(direct);
        expect(later).toMatchObject({ ...expected, revision: revision + 1 });
      },
    ),
  );
});

/** The record after the patches that are accepted. */
const changed = (
  events: readonly ConversionEvent[],
  patches: readonly UpdateConversion[],
): ConversionRecord => {
  const all = [...events];
  for (const patch of patches)
    try {
      all.push(...when(conversionDecider, given(conversionDecider, ...all), update(patch, null)));
    } catch {
      // refused, as for the other conversion
    }
  return recordOf(all);
};

const recordIn = (affiliate: AffiliateState) =>
  affiliate.kind === 'none' ? undefined : affiliate.record;

describe('the terms in force', () => {
  const program = programWith({ terms: { type: 'percentage', rate_bps: 1_000, hold_days: 9 } });
  const own = storedAffiliateTerms({ type: 'flat', amounts: { USD: 5 } });

  it("are the affiliate's own if it has any, and otherwise the program's", () => {
    const overridden = affiliateWith({ commission: own, commission_version: 3 });
    expect(currentTerms(program, recordIn(overridden))).toEqual({
      source: 'affiliate',
      version: 3,
      terms: { ...own, hold_days: 9 },
    });
    for (const affiliate of [affiliateAt('suspended'), deletedAffiliate])
      expect(currentTerms(program, recordIn(affiliate))).toMatchObject({
        source: 'program',
        version: 1,
      });
    expect(currentTerms(programWith({}), undefined)).toBeNull();
  });
});
