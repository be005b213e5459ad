import {
  adjustmentSchema,
  derivedId,
  type AdjustmentEvent,
  type AdjustmentFields,
  type AffiliateStatus,
  type NewAdjustment,
  type UpdateAdjustment,
} from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import { affiliate_id, affiliateAt, deletedAffiliate, inProgram } from '../../test/conversions.js';
import {
  instantOf,
  given,
  givenUpTo,
  metadataArbitrary,
  obeysLaws,
  refusal,
  textArbitrary,
  textMatching,
  when,
} from '../../test/scenario.js';
import { affiliateDecider } from '../affiliate/affiliate.decider.js';
import { maxRevisions } from '../revision-limit.js';
import { adjustmentRecord } from './adjustment.aggregate.js';
import { adjustmentDecider, type AdjustmentCommand } from './adjustment.decider.js';
import type { CreateAdjustment } from './new-adjustment.js';

const adjustment_id = derivedId('adjustment', '1');
const bonus: NewAdjustment = {
  affiliate_id,
  currency: 'usd',
  amount: 8000,
  description: 'Bonus',
  external_id: 'bonus-1',
  metadata: { a: '1', b: '2' },
};
const fields: AdjustmentFields = { status: 'posted', metadata: { a: '1', b: '2' }, reason: null };
const about = {
  adjustment_id,
  ...inProgram,
  currency: 'USD',
  amount: 8000,
  description: 'Bonus',
  payable_on: '2026-01-01',
  external_id: 'bonus-1',
};
const created = {
  type: 'adjustment.created',
  data: { ...about, reported_payable_on: null, after: fields },
} as const satisfies AdjustmentEvent;
const changed = (
  type: 'adjustment.updated' | 'adjustment.voided',
  after: Partial<AdjustmentFields>,
  before = fields,
): AdjustmentEvent => ({ type, data: { ...about, before, after: { ...before, ...after } } });
const voided = changed('adjustment.voided', { status: 'voided', reason: 'twice' });

const create = (
  change: Partial<NewAdjustment> = {},
  more: Partial<CreateAdjustment> = {},
): CreateAdjustment => ({
  type: 'create',
  adjustment_id,
  affiliate: affiliateAt('approved'),
  adjustment: { ...bonus, ...change },
  recordedAt: instantOf(0),
  ...more,
});
const update = (patch: UpdateAdjustment): AdjustmentCommand => ({
  type: 'update',
  adjustment_id,
  patch,
});
const none = given(adjustmentDecider);
const posted = given(adjustmentDecider, created);
const gone = given(adjustmentDecider, created, voided);

describe('creating an adjustment', () => {
  it.each<[string, CreateAdjustment['affiliate']]>([
    ...(['pending', 'approved', 'rejected', 'suspended'] satisfies AffiliateStatus[]).map(
      (status): [string, CreateAdjustment['affiliate']] => [status, affiliateAt(status)],
    ),
    ['deleted', deletedAffiliate],
  ])("for an affiliate that is %s posts it in the affiliate's program", (_, affiliate) => {
    expect(when(adjustmentDecider, none, create({}, { affiliate }))).toEqual([created]);
  });

  it('for an affiliate that is unknown is refused', () => {
    const affiliate = given(affiliateDecider);
    expect(refusal(() => when(adjustmentDecider, none, create({}, { affiliate })))).toMatchObject({
      code: 'affiliate_not_found',
      detail: textMatching(affiliate_id),
    });
  });

  it('in a currency without a minor unit is refused, unless it was created before', () => {
    const gold = create({ currency: 'xau' });
    expect(refusal(() => when(adjustmentDecider, none, gold))).toMatchObject({
      code: 'validation_failed',
      extras: { errors: [{ path: '/currency', code: 'no_minor_unit' }] },
    });
    const { data } = created;
    const before = given(adjustmentDecider, { ...created, data: { ...data, currency: 'XAU' } });
    expect(when(adjustmentDecider, before, gold)).toEqual([]);
  });

  it('in a withdrawn currency posts it: what is owed stays owed', () => {
    expect(when(adjustmentDecider, none, create({ currency: 'BGN' }))).toMatchObject([
      { data: { currency: 'BGN' } },
    ]);
  });

  it('takes a deduction, a day, and nothing else', () => {
    const deduction = {
      affiliate_id,
      currency: 'EUR',
      amount: -1,
      description: ' Fee ',
      payable_on: '2025-12-31',
    };
    const events = when(adjustmentDecider, none, create({}, { adjustment: deduction }));
    expect(events).toEqual([
      {
        type: 'adjustment.created',
        data: {
          adjustment_id,
          ...inProgram,
          ...deduction,
          reported_payable_on: '2025-12-31',
          external_id: null,
          after: { status: 'posted', metadata: {}, reason: null },
        },
      },
    ]);
    expect(adjustmentSchema.parse(adjustmentRecord(given(adjustmentDecider, ...events)))).toEqual({
      id: adjustment_id,
      object: 'adjustment',
      ...inProgram,
      ...deduction,
      external_id: null,
      status: 'posted',
      metadata: {},
      reason: null,
      created_at: instantOf(0),
      updated_at: instantOf(0),
      revision: 0,
    });
  });
});

describe('the day from which an adjustment is payable', () => {
  const recordedAt = '2026-11-22T23:59:59.999Z';
  const decided = (payable_on?: string) =>
    when(adjustmentDecider, none, create({ payable_on }, { recordedAt }));

  it('is that of its recording in UTC, unless another one was sent', () => {
    expect(decided()).toMatchObject([
      { data: { payable_on: '2026-11-22', reported_payable_on: null } },
    ]);
    expect(decided('2026-11-22')).toMatchObject([
      { data: { payable_on: '2026-11-22', reported_payable_on: '2026-11-22' } },
    ]);
  });

  it.each(['2025-11-21', '2027-11-23'])('can be %s, 366 days away', (payable_on) => {
    expect(decided(payable_on)).toMatchObject([
      { data: { payable_on, reported_payable_on: payable_on } },
    ]);
  });

  it.each([
    ['2025-11-20', 'too_early'],
    ['0001-01-01', 'too_early'],
    ['2027-11-24', 'too_late'],
    ['9999-12-31', 'too_late'],
  ])('cannot be %s', (payable_on, code) => {
    // the affiliate does not exist either, but the request is checked first
    const affiliate = given(affiliateDecider);
    expect(
      refusal(() =>
        when(adjustmentDecider, none, create({ payable_on }, { recordedAt, affiliate })),
      ),
    ).toMatchObject({
      code: 'validation_failed',
      detail: textMatching(`but was ${payable_on}. Send a day from 2025-11-21 to 2027-11-23.`),
      extras: { errors: [{ path: '/payable_on', code }] },
    });
  });
});

describe('creating an adjustment again', () => {
  const later = { recordedAt: '2030-01-01T00:00:00.000Z', affiliate: given(affiliateDecider) };

  it('has no effect, whatever has changed and whatever the day', () => {
    const changedSince = given(adjustmentDecider, created, changed('adjustment.updated', {}));
    for (const state of [posted, gone, changedSince])
      expect(
        when(adjustmentDecider, state, create({ currency: 'UsD', metadata: { b: '2', a: '1' } })),
      ).toEqual([]);
    expect(when(adjustmentDecider, posted, create({}, later))).toEqual([]);
  });

  it.each<Partial<NewAdjustment>>([
    { affiliate_id: 'aff_other' },
    { currency: 'EUR' },
    { amount: -8000 },
    { description: 'bonus' },
    // the very day that it was given by default
    { payable_on: '2026-01-01' },
    { metadata: {} },
  ])('with %j is another adjustment', (other) => {
    expect(refusal(() => when(adjustmentDecider, posted, create(other, later)))).toMatchObject({
      code: 'adjustment_exists',
      detail: textMatching(new RegExp(`"bonus-1".*${adjustment_id}`)),
      extras: { adjustment_id },
    });
  });

  it('compares the day that was sent', () => {
    const [first] = when(adjustmentDecider, none, create({ payable_on: '2026-01-02' }));
    const state = given(adjustmentDecider, present(first));
    expect(when(adjustmentDecider, state, create({ payable_on: '2026-01-02' }, later))).toEqual([]);
    for (const payable_on of [undefined, '2026-01-03'])
      expect(refusal(() => when(adjustmentDecider, state, create({ payable_on }))).code).toBe(
        'adjustment_exists',
      );
  });

  it('with the idempotency key of a different request is refused as idempotency_key_reused', () => {
    const { external_id: _, ...byKey } = bonus;
    const [first] = when(adjustmentDecider, none, create({}, { adjustment: byKey }));
    const state = given(adjustmentDecider, present(first));
    expect(when(adjustmentDecider, state, create({}, { adjustment: byKey }))).toEqual([]);
    expect(
      refusal(() =>
        when(adjustmentDecider, state, create({}, { adjustment: { ...byKey, amount: 1 } })),
      ).code,
    ).toBe('idempotency_key_reused');
  });
});

describe('changing an adjustment', () => {
  it('replaces the metadata', () => {
    expect(when(adjustmentDecider, posted, update({ metadata: { c: '3' } }))).toEqual([
      changed('adjustment.updated', { metadata: { c: '3' } }),
    ]);
  });

  it('voids it once, for a reason, in one event with the other changes', () => {
    const patch = { status: 'voided', reason: 'twice' } as const;
    expect(when(adjustmentDecider, posted, update(patch))).toEqual([voided]);
    expect(when(adjustmentDecider, posted, update({ ...patch, metadata: {} }))).toEqual([
      changed('adjustment.voided', { ...patch, metadata: {} }),
    ]);
    expect(when(adjustmentDecider, gone, update({ ...patch, reason: 'again' }))).toEqual([]);
    expect(adjustmentRecord(gone)).toMatchObject({
      status: 'voided',
      reason: 'twice',
      created_at: instantOf(0),
      updated_at: instantOf(1),
      revision: 1,
    });
  });

  it('keeps the reason for the void', () => {
    const after = { ...fields, status: 'voided', reason: 'twice' } as const;
    const patch = { status: 'voided', reason: 'again', metadata: {} } as const;
    for (const changes of [{ metadata: {} }, patch])
      expect(when(adjustmentDecider, gone, update(changes))).toEqual([
        changed('adjustment.updated', { metadata: {} }, after),
      ]);
  });

  it('never posts it again', () => {
    expect(
      refusal(() => when(adjustmentDecider, gone, update({ status: 'posted', metadata: {} }))),
    ).toMatchObject({ code: 'invalid_transition', detail: textMatching(adjustment_id) });
  });

  it.each<UpdateAdjustment>([
    { status: 'posted', reason: 'still' },
    { metadata: { b: '2', a: '1' } },
  ])('to its current values, %j, has no effect', (patch) => {
    expect(when(adjustmentDecider, posted, update(patch))).toEqual([]);
  });

  it('that was never created fails with not_found', () => {
    expect(refusal(() => when(adjustmentDecider, none, update({ metadata: {} })))).toMatchObject({
      code: 'not_found',
      detail: textMatching(adjustment_id),
    });
    expect(adjustmentRecord(given(adjustmentDecider, voided))).toBeUndefined();
  });

  it('ends after 10,000 revisions, except for voiding', () => {
    const full = givenUpTo(adjustmentDecider, maxRevisions - 1, [created]);
    expect(refusal(() => when(adjustmentDecider, full, update({ metadata: {} }))).code).toBe(
      'too_many_revisions',
    );
    expect(
      when(adjustmentDecider, full, update({ status: 'voided', reason: 'x', metadata: {} })),
    ).toHaveLength(1);
    expect(when(adjustmentDecider, full, update({ status: 'posted' }))).toEqual([]);
    const almostFull = givenUpTo(adjustmentDecider, maxRevisions - 2, [created]);
    expect(when(adjustmentDecider, almostFull, update({ metadata: {} }))).toHaveLength(1);
  });
});

it('obeys the laws of a decider', () => {
  const commands = fc.oneof(
    fc
      .record(
        {
          affiliate_id: fc.constant(affiliate_id),
          currency: fc.constantFrom('usd', 'USD'),
          amount: fc.constantFrom(-1, 1),
          description: textArbitrary,
          payable_on: fc.constantFrom('2026-01-01', '2027-01-02', '2027-01-03'),
          external_id: fc.constant('id'),
          metadata: metadataArbitrary,
        },
        { requiredKeys: ['affiliate_id', 'currency', 'amount', 'description'] },
      )
      .map((adjustment) => create({}, { adjustment })),
    {
      weight: 4,
      arbitrary: fc
        .record(
          {
            status: fc.constantFrom('posted' as const, 'voided' as const),
            reason: textArbitrary,
            metadata: metadataArbitrary,
          },
          { requiredKeys: ['reason'] },
        )
        .map(update),
    },
  );
  obeysLaws(adjustmentDecider, commands, ({ state, command, event, history }) => {
    const record = adjustmentRecord(state);
    expect(adjustmentSchema.parse(record)).toMatchObject({
      ...event.data.after,
      created_at: instantOf(0),
      updated_at: instantOf(history.length - 1),
      revision: history.length - 1,
    });
    expect(adjustmentDecider.decide(command, state)).toEqual([]);
    const voids = history.filter(({ type }) => type === 'adjustment.voided');
    expect(voids).toHaveLength(record?.status === 'voided' ? 1 : 0);
  });
});
