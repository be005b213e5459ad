import type { LoggedEvent } from '@refledger/event-log';
import type { Position } from '@refledger/contracts';
import { redactedChanges, redactedEvent, redactedLeaf } from './redact.js';

const event = (type: string, data: unknown): LoggedEvent => ({
  id: 'e1',
  type,
  data,
  stream: 'refledger.x',
  revision: 0,
  position: '1' as Position,
  metadata: {
    account_id: null,
    actor: 'key_1',
    request_id: 'r',
    schema: 1,
    recorded_at: '2026-01-01T00:00:00.000Z',
  },
});

it.each([
  [
    'webhook.subscribed',
    { endpoint_id: 'whk_1', fields: { secret: 'sealed' } },
    { endpoint_id: 'whk_1', fields: { secret: '[sealed]' } },
  ],
  ['key.created', { key_id: 'key_1', hash: 'abc' }, { key_id: 'key_1', hash: '[hash]' }],
  [
    'affiliate.created',
    { affiliate_id: 'aff_1', after: { status: 'pending' }, sealed: 'v1.abc' },
    { affiliate_id: 'aff_1', after: { status: 'pending' }, sealed: '[personal]' },
  ],
  [
    'vault.made',
    [{ secret: { deep: 1 }, hash: 'h', sealed: 's', name: 'n' }],
    [{ secret: '[sealed]', hash: '[hash]', sealed: '[personal]', name: 'n' }],
  ],
])('an event %s is shown without secrets', (type, data, shown) => {
  expect(redactedEvent(event(type, data)).data).toEqual(shown);
});

it('a field that a client named `secret` or `sealed` is shown', () => {
  const metadata = { secret: 'mine', sealed: 'too' };
  const conversion = event('conversion.created', { after: { metadata } });
  expect(redactedEvent(conversion)).toBe(conversion);
});

it('a changed secret shows as changed, without its values', () => {
  const changes = [
    { field: 'secret', before: 'a', after: 'b' },
    { field: 'target_url', before: 'c', after: 'd' },
  ];
  expect(redactedChanges({ type: 'webhook.updated' }, changes)).toEqual([
    { field: 'secret', before: '[sealed]', after: '[sealed]' },
    { field: 'target_url', before: 'c', after: 'd' },
  ]);
  expect(redactedChanges({ type: 'key.created' }, [{ field: 'hash', after: 'b' }])).toEqual([
    { field: 'hash', after: '[hash]' },
  ]);
});

it('secrets inside the documents of endpoints and affiliates are not shown', () => {
  expect(redactedLeaf('affiliates', 'record.sealed', 'v1.abc')).toBe('[personal]');
  expect(redactedLeaf('affiliates', 'record.status', 'pending')).toBe('pending');
  expect(redactedLeaf('conversions', 'record.metadata.sealed', 'mine')).toBe('mine');
  expect(redactedLeaf('webhook_endpoints', 'fields.secret', 'sealed')).toBe('[sealed]');
  expect(redactedLeaf('webhook_endpoints', 'fields.target_url', 'http://x')).toBe('http://x');
  expect(redactedLeaf('conversions', 'metadata.secret', 'mine')).toBe('mine');
});
