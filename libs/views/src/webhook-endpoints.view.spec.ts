import { webhookEndpointSchema, type DomainEvent } from '@refledger/contracts';
import { endpointFields, endpointId } from '../test/builders.js';
import { documentsOf, minute, position, record } from '../test/history.js';
import { endpointDocument, endpointFromDocument, latestVersion, versionAt, webhookEndpointsView } from './webhook-endpoints.view.js';

const subscribed: DomainEvent = { type: 'webhook.subscribed', data: { endpoint_id: endpointId, fields: endpointFields() } };
const updated: DomainEvent = { type: 'webhook.updated', data: { endpoint_id: endpointId, fields: endpointFields({ events: ['affiliate.created'], secret: 'sealed-2', description: null }) } };
const disabled: DomainEvent = { type: 'webhook.disabled', data: { endpoint_id: endpointId, reason: 'answered 410' } };
const unsubscribed: DomainEvent = { type: 'webhook.unsubscribed', data: { endpoint_id: endpointId } };
const after = (...events: DomainEvent[]) => endpointDocument(documentsOf(webhookEndpointsView, record(events.map((event) => ({ stream: 'refledger.webhooks-acct_1', event })))).get(endpointId)!);

it('begins with the subscription', () => {
  const document = after(subscribed);

  expect(document).toMatchObject({ account_id: 'acct_1', id: endpointId, status: 'enabled', listed: true });
  expect(endpointFromDocument(document)).toEqual({
    id: 'whk_1', object: 'webhook_endpoint', target_url: 'https://Example.org/hook#x', events: ['conversion.created'], description: 'mine', status: 'enabled', created_at: minute(1), updated_at: minute(1),
  });
  expect(Object.keys(endpointFromDocument(document)).sort()).toEqual(Object.keys(webhookEndpointSchema.shape).sort());
});

it('keeps every version with the position and revision that it holds from', () => {
  const document = after(subscribed, updated, disabled, unsubscribed);

  expect(document.versions.map(({ position: from, revision, status, events, secret }) => [from, revision, status, events, secret])).toEqual([
    ['1', 0, 'enabled', ['conversion.created'], 'sealed-1'],
    ['2', 1, 'enabled', ['affiliate.created'], 'sealed-2'],
    ['3', 2, 'disabled', ['affiliate.created'], 'sealed-2'],
    ['4', 3, 'removed', ['affiliate.created'], 'sealed-2'],
  ]);
  expect(document).toMatchObject({ status: 'removed', listed: false, description: null, created_at: minute(1), updated_at: minute(4) });
  expect(latestVersion(document).position).toBe('4');
});

it('keeps one version, with the last revision, of what is subscribed again and again with nothing new', () => {
  const { versions, updated_at } = after(subscribed, updated, updated, updated);

  expect(versions.map(({ position: from, revision, secret }) => [from, revision, secret])).toEqual([['1', 0, 'sealed-1'], ['2', 3, 'sealed-2']]);
  expect(updated_at).toBe(minute(4));
});

it('is enabled again by an update', () => {
  expect(endpointFromDocument(after(subscribed, disabled))).toMatchObject({ status: 'disabled', description: 'mine' });
  expect(endpointFromDocument(after(subscribed, disabled, updated))).toMatchObject({ status: 'enabled', events: ['affiliate.created'] });
});

it('says which version was in force at a position', () => {
  const document = { ...after(subscribed, updated), versions: after(subscribed, updated).versions.map((version, i) => ({ ...version, position: position([9, 100][i]!) })) };

  expect([8, 9, 10, 99, 100, 1000].map((n) => versionAt(document, position(n))?.secret)).toEqual([undefined, 'sealed-1', 'sealed-1', 'sealed-1', 'sealed-2', 'sealed-2']);
});
