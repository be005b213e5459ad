import {
  eventSchemaVersion,
  explicitCommission,
  logFormat,
  noCommission,
  type ConversionBasis,
  type ConversionEvent,
  type ConversionFields,
  type Position,
} from '@refledger/contracts';
import { decodeEvent, encodeEvent, UnreadableEvent } from './codec.js';

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

describe('a member that follows from the rest of its event', () => {
  const terms = {
    source: 'program',
    version: 3,
    terms: { type: 'percentage', rate_bps: 2_000, recurring: 'every', hold_days: 30 },
  } as const;
  const applied = {
    source: 'program',
    terms_version: 3,
    type: 'percentage',
    rate_bps: 2_000,
    why: 'applied',
  } as const;
  const pending: ConversionFields = {
    status: 'pending',
    sale_amount: 4_950,
    refunded_amount: 0,
    commission_amount: 990,
    commission: applied,
    reason: null,
    metadata: {},
    payout_id: null,
  };
  const about = {
    conversion_id: 'conv_1',
    affiliate_id: 'aff_1',
    program_id: 'prog_1',
    sale_currency: 'USD',
    occurred_at: metadata.recorded_at,
    payable_on: '2026-01-31',
    external_transaction_id: 'order-1',
    customer_id: null,
  } as const;
  const { conversion_id: _id, occurred_at: _at, customer_id: _customer, ...recordedAbout } = about;
  const created = (
    basis: Partial<ConversionBasis> = {},
    after: Partial<ConversionFields> = {},
  ): ConversionEvent => ({
    type: 'conversion.created',
    data: {
      ...about,
      occurred_at: basis.reported_occurred_at ?? metadata.recorded_at,
      basis: { reported_occurred_at: null, terms, first_occurred_at: null, ...basis },
      after: { ...pending, ...after },
    },
  });
  const changed = (after: ConversionFields, before = pending): ConversionEvent => ({
    type: 'conversion.updated',
    data: { ...about, before, after },
  });
  const stream = 'refledger.conversion-conv_1';
  const read = (event: ConversionEvent) =>
    decodeEvent({ ...place, stream, ...encodeEvent(event, 'id', metadata) }).data;

  it('is not recorded', () => {
    expect(encodeEvent(created(), 'id', metadata).data).toEqual({
      ...recordedAbout,
      basis: { terms },
      after: { sale_amount: 4_950, commission_amount: 990 },
    });
  });

  it('is recorded in `after` only if the event changed it', () => {
    const before = { ...pending, reason: 'late', metadata: { a: '1' } };
    const event = changed({ ...before, status: 'approved', reason: null }, before);
    expect(encodeEvent(event, 'id', metadata).data).toEqual({
      ...recordedAbout,
      before: {
        sale_amount: 4_950,
        commission_amount: 990,
        commission: applied,
        reason: 'late',
        metadata: { a: '1' },
      },
      after: { status: 'approved', reason: null },
    });
  });

  it.each([
    ['a usual sale', created()],
    ['a sale without terms', created({ terms: null }, { commission: noCommission })],
    ['terms that did not apply', created({}, { commission: noCommission })],
    ['a capped commission', created({}, { commission: { ...applied, why: 'capped' } })],
    ['an explicit commission', created({}, { commission: explicitCommission })],
    ['a reported time', created({ reported_occurred_at: '2025-12-31T00:00:00.000Z' })],
    ['the time of recording, reported', created({ reported_occurred_at: metadata.recorded_at })],
    ['a change to a default', changed(pending, { ...pending, status: 'approved', reason: 'r' })],
    ['a change of nothing', changed(pending)],
    [
      'a change later than the sale',
      {
        ...changed(pending),
        data: { ...changed(pending).data, occurred_at: '2025-12-31T00:00:00.000Z' },
      } as ConversionEvent,
    ],
  ])('is supplied when the event is read: %s', (_what, event) => {
    expect(read(event)).toEqual(event.data);
  });

  it('is supplied in the order of the record, so that the bytes of a body stay the same', () => {
    const { after } = read(created()) as { readonly after: ConversionFields };
    expect(JSON.stringify(after.commission)).toBe(JSON.stringify(applied));
  });

  it('is recorded if its own members are in another order', () => {
    const metadata = { b: '2', a: '1' };
    const before = { ...pending, metadata: { a: '1', b: '2' } };
    const { after } = read(changed({ ...pending, metadata }, before)) as {
      readonly after: ConversionFields;
    };
    expect(JSON.stringify(after.metadata)).toBe(JSON.stringify(metadata));
  });

  it('is supplied to an event that has it already', () => {
    const decoded = decodeEvent({ ...place, stream, ...encodeEvent(created(), 'id', metadata) });
    expect(decodeEvent(decoded)).toEqual(decoded);
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

it('leaves the events that a claim holds as they were written', () => {
  const held = {
    id: 'held',
    type: 'affiliate.created',
    data: { after: { email: 'ada@example.com' } },
    metadata: { ...metadata, schema: eventSchemaVersion },
  };
  const append = { stream: 'refledger.affiliate-aff_1', expected_revision: null } as const;
  const events = [held, { ...held, id: 'held-2' }];
  const data = { affiliate_id: 'aff_1' as const, append: { ...append, events } };
  const claim = encodeEvent({ type: 'claim.taken', data }, 'id', metadata);
  expect(decodeEvent({ ...claim, ...place }).data).toEqual(data);
});
