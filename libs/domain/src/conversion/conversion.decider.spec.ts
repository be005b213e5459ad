import { conversionSchema, conversionStatuses, unreported } from '@refledger/contracts';
import type { ConversionEvent, ConversionStatus, UpdateConversion } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import fc from 'fast-check';
import {
  about,
  affiliate_id,
  affiliateAt,
  conversion_id,
  created,
  deletedAffiliate,
  fields,
  inProgram,
  record,
  sale,
  update,
} from '../../test/conversions.js';
import {
  instantOf,
  given,
  givenUpTo,
  metadataArbitrary,
  obeysLaws,
  refusal,
  textMatching,
  textArbitrary,
  when,
} from '../../test/scenario.js';
import { maxRevisions } from '../revision-limit.js';
import { affiliateDecider, type AffiliateState } from '../affiliate/affiliate.decider.js';
import { conversionRecord } from './conversion.aggregate.js';
import { conversionDecider, type ConversionCommand } from './conversion.decider.js';

const { external_transaction_id: _, ...saleWithKey } = sale;
const recordFor = (affiliate: AffiliateState) => record({}, { affiliate });

const fieldsAt = (status: ConversionStatus) => ({
  ...fields,
  status,
  refunded_amount: status === 'refunded' ? fields.sale_amount : 0,
});
const turned = (
  from: ConversionStatus,
  to: Exclude<ConversionStatus, 'pending'>,
): ConversionEvent => ({
  type: `conversion.${to}`,
  data: { ...about, before: fieldsAt(from), after: fieldsAt(to), reason: null },
});
const histories: Record<ConversionStatus, ConversionEvent[]> = {
  pending: [created],
  approved: [created, turned('pending', 'approved')],
  rejected: [created, turned('pending', 'rejected')],
  refunded: [created, turned('pending', 'approved'), turned('approved', 'refunded')],
};
const atStatus = (status: ConversionStatus) => given(conversionDecider, ...histories[status]);
const none = given(conversionDecider);

describe('recording a conversion', () => {
  it.each([['pending'], ['approved']] as const)(
    "for an affiliate that is %s creates it as pending, in the affiliate's program",
    (status) => {
      expect(when(conversionDecider, none, recordFor(affiliateAt(status)))).toEqual([created]);
    },
  );

  it.each([['rejected'], ['suspended']] as const)(
    'for an affiliate that is %s is rejected',
    (status) => {
      expect(
        refusal(() => when(conversionDecider, none, recordFor(affiliateAt(status)))),
      ).toMatchObject({ code: 'affiliate_not_active', detail: textMatching(status) });
    },
  );

  it.each([
    { affiliate: given(affiliateDecider), why: 'unknown' },
    { affiliate: deletedAffiliate, why: 'deleted' },
  ])('for an affiliate that is $why is rejected', ({ affiliate }) => {
    expect(refusal(() => when(conversionDecider, none, recordFor(affiliate)))).toMatchObject({
      code: 'affiliate_not_found',
      detail: textMatching(affiliate_id),
    });
  });

  it('stores minus zero as zero', () => {
    const [event] = when(conversionDecider, none, record({ sale_amount: -0 }));
    expect(event).toMatchObject({ data: { after: { sale_amount: 0 } } });
    expect(
      when(conversionDecider, given(conversionDecider, present(event)), record({ sale_amount: 0 })),
    ).toEqual([]);
  });
});

describe('recording a conversion again', () => {
  it.each(conversionStatuses)(
    'with the same fields has no effect, even if it is %s by now and whatever the state of the affiliate',
    (status) => {
      for (const affiliate of [
        affiliateAt('suspended'),
        deletedAffiliate,
        given(affiliateDecider),
      ]) {
        expect(
          when(
            conversionDecider,
            atStatus(status),
            record({ sale_currency: 'UsD', metadata: { b: '2', a: '1' } }, { affiliate }),
          ),
        ).toEqual([]);
      }
    },
  );

  it('compares with the recorded fields, not with the current state', () => {
    const raised = given(conversionDecider, created, {
      type: 'conversion.updated',
      data: { ...about, before: fields, after: { ...fields, sale_amount: 1, metadata: {} } },
    });
    expect(when(conversionDecider, raised, record())).toEqual([]);
    expect(
      refusal(() => when(conversionDecider, raised, record({ sale_amount: 1, metadata: {} }))).code,
    ).toBe('conversion_exists');
  });

  it.each([
    { sale_amount: 1 },
    { sale_currency: 'EUR' },
    { affiliate_id: 'aff_other' },
    { metadata: {} },
  ])('with other fields, %j, names the conversion before it checks the affiliate', (other) => {
    expect(
      refusal(() =>
        when(
          conversionDecider,
          atStatus('pending'),
          record(other, { affiliate: given(affiliateDecider) }),
        ),
      ),
    ).toMatchObject({
      code: 'conversion_exists',
      extras: { conversion_id },
      detail: textMatching(new RegExp(`tx-1.*${conversion_id}`)),
    });
  });

  it('with the idempotency key of a different request is rejected as idempotency_key_reused', () => {
    const byKey = given(conversionDecider, {
      type: 'conversion.created',
      data: { ...created.data, external_transaction_id: null },
    } satisfies ConversionEvent);
    expect(when(conversionDecider, byKey, record({}, { sale: saleWithKey }))).toEqual([]);
    expect(
      refusal(() =>
        when(conversionDecider, byKey, record({}, { sale: { ...saleWithKey, sale_amount: 2 } })),
      ).code,
    ).toBe('idempotency_key_reused');
  });
});

describe('the transition table', () => {
  const table: Record<
    ConversionStatus,
    Record<'approved' | 'rejected' | 'refunded', 'yes' | 'nothing' | 'refused'>
  > = {
    pending: { approved: 'yes', rejected: 'yes', refunded: 'refused' },
    approved: { approved: 'nothing', rejected: 'yes', refunded: 'yes' },
    rejected: { approved: 'yes', rejected: 'nothing', refunded: 'refused' },
    refunded: { approved: 'yes', rejected: 'refused', refunded: 'nothing' },
  };
  const rows = conversionStatuses.flatMap((from) =>
    (['approved', 'rejected', 'refunded'] as const).map((to) => ({
      from,
      to,
      outcome: table[from][to],
    })),
  );

  it.each(rows)('$from to $to: $outcome', ({ from, to, outcome }) => {
    const decide = () => when(conversionDecider, atStatus(from), update({ status: to }));
    if (outcome === 'refused')
      expect(refusal(decide)).toMatchObject({
        code: 'invalid_transition',
        detail: textMatching(new RegExp(`${from}.*${to}`)),
      });
    else expect(decide()).toEqual(outcome === 'nothing' ? [] : [turned(from, to)]);
  });
});

describe('changing a conversion', () => {
  it('changes the amount while it is pending', () => {
    expect(when(conversionDecider, atStatus('pending'), update({ sale_amount: 5000 }))).toEqual([
      {
        type: 'conversion.updated',
        data: { ...about, before: fields, after: { ...fields, sale_amount: 5000 }, reason: null },
      },
    ]);
  });

  it('changes the amount in the same PATCH that approves it, as one event', () => {
    const patch = {
      status: 'approved',
      reason: 'checked',
      sale_amount: 5000,
      metadata: {},
    } as const;
    expect(when(conversionDecider, atStatus('pending'), update(patch))).toEqual([
      {
        type: 'conversion.approved',
        data: { ...about, before: fields, after: { ...fields, ...patch }, reason: 'checked' },
      },
    ]);
  });

  it.each([
    ['approved', 'Reject it with a reason and record the sale again'],
    ['rejected', 'Record the sale again'],
    ['refunded', 'Record the sale again'],
  ] as const)(
    'rejects another amount when it is %s, even with a status, and says what to do',
    (status, advice) => {
      for (const patch of [{ sale_amount: 1 }, { sale_amount: 1, status: 'approved' as const }]) {
        expect(
          refusal(() => when(conversionDecider, atStatus(status), update(patch))),
        ).toMatchObject({
          code: 'invalid_transition',
          detail: textMatching(
            new RegExp(
              ` is ${status}, and sale_amount can be changed only while it is pending\\. ${advice} under a new external_transaction_id, or correct what is owed with an adjustment\\.$`,
            ),
          ),
        });
      }
    },
  );

  it.each<UpdateConversion>([
    { status: 'approved', reason: 'again' },
    { sale_amount: 4950 },
    { metadata: { b: '2', a: '1' } },
  ])('to its current values, %j, has no effect', (patch) => {
    expect(when(conversionDecider, atStatus('approved'), update(patch))).toEqual([]);
  });

  it('clears the reason with the next status, and keeps it otherwise', () => {
    const state = given(
      conversionDecider,
      created,
      ...when(
        conversionDecider,
        atStatus('pending'),
        update({ status: 'rejected', reason: 'fraud' }),
      ),
    );
    expect(conversionRecord(state)?.reason).toBe('fraud');
    expect(
      when(conversionDecider, state, update({ metadata: {}, status: 'rejected', reason: 'x' })),
    ).toMatchObject([
      { type: 'conversion.updated', data: { after: { reason: 'fraud' }, reason: null } },
    ]);
    expect(when(conversionDecider, state, update({ status: 'approved' }))).toMatchObject([
      { data: { after: { reason: null } } },
    ]);
  });

  it('that was never recorded fails with not_found', () => {
    expect(refusal(() => when(conversionDecider, none, update({ metadata: {} })))).toMatchObject({
      code: 'not_found',
      detail: textMatching(conversion_id),
    });
    expect(conversionRecord(none)).toBeUndefined();
  });

  it('keeps the time of the last approval, even if it is refunded afterward', () => {
    expect(conversionRecord(atStatus('refunded'))).toEqual({
      id: conversion_id,
      object: 'conversion',
      ...unreported,
      ...inProgram,
      ...fieldsAt('refunded'),
      sale_currency: 'USD',
      occurred_at: about.occurred_at,
      payable_on: about.payable_on,
      external_transaction_id: 'tx-1',
      payout_id: null,
      created_at: instantOf(0),
      approved_at: instantOf(1),
      updated_at: instantOf(2),
      revision: 2,
    });
  });
});

describe('a conversion at the revision limit', () => {
  const full = (status: ConversionStatus, revisions = maxRevisions) =>
    givenUpTo(conversionDecider, revisions - 1, histories[status]);

  it.each<UpdateConversion>([{ metadata: {} }, { sale_amount: 1 }, { status: 'approved' }])(
    'rejects a change such as %j',
    (patch) => {
      expect(refusal(() => when(conversionDecider, full('pending'), update(patch)))).toMatchObject({
        code: 'too_many_revisions',
        detail: textMatching(/10000/),
      });
      expect(
        when(conversionDecider, full('pending', maxRevisions - 1), update(patch)),
      ).toHaveLength(1);
    },
  );

  it('can still be rejected and refunded, and accepts commands that have no effect', () => {
    expect(
      when(conversionDecider, full('pending'), update({ status: 'rejected', metadata: {} })),
    ).toHaveLength(1);
    expect(when(conversionDecider, full('approved'), update({ status: 'rejected' }))).toHaveLength(
      1,
    );
    expect(when(conversionDecider, full('approved'), update({ status: 'refunded' }))).toHaveLength(
      1,
    );
    expect(
      when(conversionDecider, full('approved'), update({ refunded_amount: 4950 })),
    ).toHaveLength(1);
    expect(when(conversionDecider, full('approved'), update({ status: 'approved' }))).toEqual([]);
    for (const patch of [{ refunded_amount: 1 }, { commission_amount: 1 }])
      expect(refusal(() => when(conversionDecider, full('approved'), update(patch))).code).toBe(
        'too_many_revisions',
      );
    expect(
      refusal(() => when(conversionDecider, full('refunded'), update({ status: 'approved' }))).code,
    ).toBe('too_many_revisions');
  });
});

it('obeys the laws of a decider', () => {
  const sale_amount = fc.oneof(fc.constantFrom(0, -0, 1), fc.nat());
  const patch = fc.record(
    {
      status: fc.constantFrom('approved', 'rejected', 'refunded'),
      reason: textArbitrary,
      sale_amount,
      metadata: metadataArbitrary,
    },
    { requiredKeys: [] },
  );
  const commands = fc.oneof(
    fc.record({
      type: fc.constant('record'),
      conversion_id: fc.constant(conversion_id),
      program: fc.constant(record().program),
      firstOccurredAt: fc.constant(null),
      recordedAt: fc.constant(instantOf(0)),
      sale: fc.record(
        {
          affiliate_id: fc.constant(affiliate_id),
          sale_amount,
          sale_currency: fc.constantFrom('usd', 'USD', 'EUR'),
          external_transaction_id: fc.constant('tx'),
          metadata: metadataArbitrary,
        },
        { requiredKeys: ['affiliate_id', 'sale_amount', 'sale_currency'] },
      ),
      affiliate: fc.constantFrom(affiliateAt('pending'), affiliateAt('suspended')),
    }),
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('update'),
        conversion_id: fc.constant(conversion_id),
        patch,
      }),
    },
  ) as fc.Arbitrary<ConversionCommand>;

  obeysLaws(conversionDecider, commands, ({ state, command, event, history }) => {
    const record = conversionRecord(state);
    expect(conversionSchema.parse(record)).toMatchObject({
      revision: history.length - 1,
      updated_at: instantOf(history.length - 1),
      created_at: instantOf(0),
      ...event.data.after,
    });
    expect(conversionDecider.decide(command, state)).toEqual([]);
  });
});
