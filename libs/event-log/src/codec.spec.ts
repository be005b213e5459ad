import {
  eventSchemaVersion,
  affiliateDefaults,
  logFormat,
  noCommission,
  type ConversionEvent,
  type Position,
  type RecordedEvent,
} from '@refledger/contracts';
import { conversionDecider, conversionRecord, fold } from '@refledger/domain';
import { present } from '@refledger/testing/present';
import { oldConversion, oldConversionRecord } from './conformance/old-conversion.js';
import { decodeEvent, encodeEvent, UnreadableEvent } from './codec.js';
import { upcast } from './upcasters.js';

const metadata = {
  account_id: null,
  actor: 'test',
  request_id: 'r',
  recorded_at: '2026-01-01T00:00:00.000Z',
};
const place = { stream: 'refledger.log', revision: 0, position: '1' as Position } as const;
const event = encodeEvent(
  { type: 'log.opened', data: { log_id: 'l', format: logFormat } },
  'id',
  metadata,
);

it('reads what it wrote', () => {
  expect(decodeEvent({ ...event, ...place })).toEqual({
    ...place,
    id: 'id',
    type: 'log.opened',
    data: { log_id: 'l', format: logFormat },
    metadata: { ...metadata, schema: eventSchemaVersion },
  });
});

it('supplies the defaults of fields that an event was recorded without', () => {
  const data = { conversion_id: 'conv_1', after: { status: 'pending' } };
  const sale = { ...event, ...place, type: 'conversion.created', data };
  const decoded = decodeEvent(sale);
  expect(decoded.data).toMatchObject({ ...data, external_transaction_id: null });
  expect(sale.data).toEqual(data);
  expect(decodeEvent(decoded)).toBe(decoded);
});

it('supplies the terms, recipient and hold of an affiliate that was recorded without them', () => {
  const fields = { email: 'ada@example.com', status: 'pending' };
  const data = { affiliate_id: 'aff_1', before: fields, after: { ...fields, payout_hold: true } };
  expect(decodeEvent({ ...event, ...place, type: 'affiliate.updated', data }).data).toEqual({
    affiliate_id: 'aff_1',
    before: { ...fields, ...affiliateDefaults },
    after: { ...fields, ...affiliateDefaults, payout_hold: true },
  });
});

it.each([
  ['an unknown type', { type: 'toString' }],
  ['a newer schema', { metadata: { ...metadata, schema: eventSchemaVersion + 1 } }],
])('rejects %s, naming the event and its position', (_what, change) => {
  expect(() => decodeEvent({ ...event, ...place, ...change })).toThrow(UnreadableEvent);
  expect(() => decodeEvent({ ...event, ...place, ...change })).toThrow(
    /event id at position 1 of refledger\.log/,
  );
});

describe('a claim', () => {
  const schema1 = { ...metadata, schema: 1 };
  const held = {
    id: 'held',
    type: 'affiliate.created',
    data: { after: { email: 'ada@example.com' } },
    metadata: schema1,
  };
  const append = { stream: 'refledger.affiliate-aff_1', expected_revision: null } as const;
  const logged = { ...place, id: 'id', type: 'claim.taken' };

  it('of schema 1 reads as an append of its one event, which is never upcast', () => {
    const data = { affiliate_id: 'aff_1', append: { ...append, event: held } };
    expect(decodeEvent({ ...logged, data, metadata: schema1 })).toEqual({
      ...logged,
      data: { affiliate_id: 'aff_1', append: { ...append, events: [held] } },
      metadata: schema1,
    });
  });

  it('of this release is read as it was written', () => {
    const events = [held, { ...held, id: 'held-2' }];
    const data = { affiliate_id: 'aff_1' as const, append: { ...append, events } };
    const claim = encodeEvent({ type: 'claim.taken', data }, 'id', metadata);
    expect(decodeEvent({ ...claim, ...place }).data).toEqual(data);
  });
});

describe('a conversion of schema 1', () => {
  const [created, approved, refunded] = oldConversion().map((event, revision) => ({
    ...event,
    ...place,
    revision,
  }));
  const decoded = () => [created, approved, refunded].map((event) => decodeEvent(present(event)));

  it('was refunded as a whole or not at all, and earned nothing', () => {
    const [first, second, third] = decoded().map(({ data }) => data);
    const kept = { sale_amount: 4_950, refunded_amount: 0, commission: noCommission };
    expect(first).toMatchObject({ after: kept, occurred_at: null, payable_on: null });
    expect(second).toMatchObject({ before: kept, after: kept });
    expect(third).toMatchObject({ before: kept, after: { ...kept, refunded_amount: 4_950 } });
  });

  it('makes the record of this release, and follows its rules', () => {
    const events = decoded() as RecordedEvent<ConversionEvent>[];
    const state = fold(conversionDecider, events);
    expect(conversionRecord(state)).toEqual(oldConversionRecord);
    const again = conversionDecider.decide(
      { type: 'update', conversion_id: 'conv_a', patch: { status: 'approved' }, inForce: null },
      state,
    );
    expect(again).toMatchObject([
      {
        data: {
          occurred_at: oldConversionRecord.occurred_at,
          payable_on: oldConversionRecord.payable_on,
          after: { refunded_amount: 0, commission_amount: 0, commission: noCommission },
        },
      },
    ]);
  });

  it('can take the terms that are in force now', () => {
    const [created, approved] = decoded() as RecordedEvent<ConversionEvent>[];
    const state = fold(conversionDecider, [present(created), present(approved)]);
    const terms = {
      type: 'percentage',
      rate_bps: 2_000,
      recurring: 'first',
      hold_days: 0,
    } as const;
    const patch = { commission: 'by_terms' } as const;
    const inForce = { source: 'program', version: 1, terms } as const;
    expect(
      conversionDecider.decide({ type: 'update', conversion_id: 'conv_a', patch, inForce }, state),
    ).toMatchObject([
      {
        type: 'conversion.updated',
        data: {
          payable_on: oldConversionRecord.payable_on,
          terms: inForce,
          before: { commission: noCommission },
          after: { commission_amount: 990, commission: { why: 'applied' } },
        },
      },
    ]);
  });

  it('is the same sale when it is sent again', () => {
    const state = fold(conversionDecider, decoded() as RecordedEvent<ConversionEvent>[]);
    expect(
      conversionDecider.decide(
        {
          type: 'record',
          conversion_id: 'conv_a',
          affiliate: { kind: 'none' },
          program: { kind: 'none' },
          firstOccurredAt: null,
          sale: { affiliate_id: 'aff_a', sale_amount: 4_950, sale_currency: 'USD' },
          recordedAt: '2026-03-01T00:00:00.000Z',
        },
        state,
      ),
    ).toEqual([]);
  });
});

it('upcasts old data schema by schema, and leaves unchanged types alone', () => {
  const steps = {
    'log.opened': {
      1: (data: unknown) => ({ ...(data as object), two: true }),
      3: (data: unknown) => ({ ...(data as object), four: true }),
    },
  };
  const schemas = { steps, version: 4 };
  expect(upcast('log.opened', 1, { log_id: 'l' }, schemas)).toEqual({
    log_id: 'l',
    two: true,
    four: true,
  });
  expect(upcast('log.opened', 2, { log_id: 'l' }, schemas)).toEqual({ log_id: 'l', four: true });
  expect(upcast('key.revoked', 1, { key_id: 'k' }, schemas)).toEqual({ key_id: 'k' });
});
