import { eventSchemaVersion, logFormat, noCommission, type Position } from '@refledger/contracts';
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

describe('a field that has its default', () => {
  const after = {
    status: 'pending',
    sale_amount: 4_950,
    refunded_amount: 0,
    commission_amount: 0,
    commission: noCommission,
    reason: null,
    metadata: {},
    payout_id: null,
  } as const;
  const data = {
    conversion_id: 'conv_1',
    affiliate_id: 'aff_1',
    program_id: 'prog_1',
    sale_currency: 'USD',
    occurred_at: '2026-01-01T00:00:00.000Z',
    payable_on: '2026-01-01',
    external_transaction_id: 'order-1',
    customer_id: null,
    basis: { reported_occurred_at: null, terms: null, first_occurred_at: null },
    after,
  } as const;
  const sale = encodeEvent({ type: 'conversion.created', data }, 'id', metadata);

  it('is not recorded', () => {
    const { customer_id: _, ...about } = data;
    expect(sale.data).toEqual({
      ...about,
      basis: {},
      after: { status: 'pending', sale_amount: 4_950 },
    });
  });

  it('is supplied, once, when the event is read', () => {
    const decoded = decodeEvent({ ...sale, ...place });
    expect(decoded.data).toEqual(data);
    expect(decodeEvent(decoded)).toBe(decoded);
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
