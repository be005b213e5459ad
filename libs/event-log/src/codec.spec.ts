import { eventSchemaVersion, logFormat, type Position } from '@refledger/contracts';
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

it('supplies the defaults of fields that an event was recorded without', () => {
  const data = { conversion_id: 'conv_1', after: { status: 'pending' } };
  const sale = { ...event, ...place, type: 'conversion.created', data };
  const decoded = decodeEvent(sale);
  expect(decoded.data).toMatchObject({ ...data, external_transaction_id: null });
  expect(sale.data).toEqual(data);
  expect(decodeEvent(decoded)).toBe(decoded);
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
