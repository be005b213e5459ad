import { webhookEndpointSchema, type DomainEvent, type EventKind } from '@refledger/contracts';
import { endpointFields, endpointId } from '../test/builders.js';
import { documentsOf, minute, record } from '../test/history.js';
import { webhookEndpointsProjection } from './webhook-endpoints.projection.js';

const subscribed: DomainEvent = {
  type: 'webhook.subscribed',
  data: { endpoint_id: endpointId, fields: endpointFields() },
};
const newFields = endpointFields({
  events: ['affiliate.created'],
  secret: 'sealed-2',
  description: null,
});
const updated: DomainEvent = {
  type: 'webhook.updated',
  data: { endpoint_id: endpointId, fields: newFields, status: 'enabled' },
};
const updatedWhileDisabled: DomainEvent = {
  type: 'webhook.updated',
  data: { endpoint_id: endpointId, fields: newFields, status: 'disabled' },
};
const disabled: DomainEvent = {
  type: 'webhook.disabled',
  data: { endpoint_id: endpointId, reason: 'answered 410' },
};
const unsubscribed: DomainEvent = {
  type: 'webhook.unsubscribed',
  data: { endpoint_id: endpointId },
};

const documentsAfter = (...events: DomainEvent[]) =>
  documentsOf(
    webhookEndpointsProjection,
    record(events.map((event) => ({ stream: 'refledger.webhooks-acct_1', event }))),
  );
const recordAfter = (...events: DomainEvent[]) =>
  documentsAfter(...events).get(endpointId)!.record!;

it('begins with the subscription', () => {
  expect(documentsAfter(subscribed).get(endpointId)).toMatchObject({
    account_id: 'acct_1',
    since: 0,
    endpoint: { id: endpointId },
  });
  expect(recordAfter(subscribed)).toEqual({
    id: 'whk_1',
    object: 'webhook_endpoint',
    target_url: 'https://Example.org/hook#x',
    events: ['conversion.created'],
    description: 'mine',
    status: 'enabled',
    payload: 'full',
    max_per_second: null,
    secret_rotation: null,
    created_at: minute(1),
    updated_at: minute(1),
  });
  expect(Object.keys(recordAfter(subscribed))).toEqual(Object.keys(webhookEndpointSchema.shape));
});

it('shows the latest version, and nothing once the endpoint is unsubscribed', () => {
  expect(recordAfter(subscribed, updated)).toMatchObject({
    events: ['affiliate.created'],
    description: null,
    created_at: minute(1),
    updated_at: minute(2),
  });
  expect(recordAfter(subscribed, disabled)).toMatchObject({
    status: 'disabled',
    description: 'mine',
    updated_at: minute(2),
  });
  expect(recordAfter(subscribed, disabled, updated)).toMatchObject({
    status: 'enabled',
    events: ['affiliate.created'],
  });
  const changed = documentsAfter(subscribed, disabled, updatedWhileDisabled);
  expect(changed.get(endpointId)!.record).toMatchObject({
    status: 'disabled',
    events: ['affiliate.created'],
  });
  expect(changed.get(`${endpointId}@3`)).toMatchObject({ status: 'disabled', fields: newFields });
  expect(documentsAfter(subscribed, updated, unsubscribed).get(endpointId)).toBeNull();
});

it('shows until when an earlier secret signs', () => {
  const previous = { secret: 'sealed-1', signs_until: minute(60) };
  const documents = documentsAfter(subscribed, {
    type: 'webhook.secret_rotated',
    data: { endpoint_id: endpointId, secret: 'sealed-2', previous },
  });
  expect(documents.get(endpointId)).toMatchObject({
    endpoint: { fields: { secret: 'sealed-2' }, previous },
    record: { secret_rotation: { signs_until: minute(60) }, updated_at: minute(2) },
  });
  expect(JSON.stringify(documents.get(endpointId)!.record)).not.toContain('sealed');
  expect(documents.get(`${endpointId}@2`)).toMatchObject({ status: null, fields: null });
});

it('keeps one document per version, with the position and revision from which it applies', () => {
  const documents = documentsAfter(subscribed, updated, disabled, unsubscribed);

  const of = { account_id: 'acct_1', endpoint_id: endpointId };
  expect([...documents].filter(([id]) => id.startsWith(`${endpointId}@`))).toEqual([
    [
      'whk_1@1',
      {
        ...of,
        position: '1',
        revision: 0,
        recorded_at: minute(1),
        status: 'enabled',
        fields: endpointFields(),
      },
    ],
    [
      'whk_1@2',
      {
        ...of,
        position: '2',
        revision: 1,
        recorded_at: minute(2),
        status: 'enabled',
        fields: newFields,
      },
    ],
    [
      'whk_1@3',
      {
        ...of,
        position: '3',
        revision: 2,
        recorded_at: minute(3),
        status: 'disabled',
        fields: null,
      },
    ],
    [
      'whk_1@4',
      {
        ...of,
        position: '4',
        revision: 3,
        recorded_at: minute(4),
        status: 'removed',
        fields: null,
      },
    ],
  ]);
});

it('keeps the last event of the stream', () => {
  expect(documentsAfter(subscribed, updated).get('refledger.webhooks-acct_1')).toMatchObject({
    account_id: 'acct_1',
    revision: 1,
    position: '2',
    recorded_at: minute(2),
  });
});

it('has no document that grows with the number of changes', () => {
  const toggled = (n: number): DomainEvent => {
    const events: EventKind[] = n % 2 === 0 ? ['affiliate.created'] : ['conversion.created'];
    return {
      type: 'webhook.updated',
      data: { endpoint_id: endpointId, fields: endpointFields({ events }) },
    };
  };
  const largest = (changes: number) => {
    const history = [subscribed, ...Array.from({ length: changes }, (_, n) => toggled(n))];
    return Math.max(
      ...[...documentsAfter(...history).values()].map(
        (document) => JSON.stringify(document).length,
      ),
    );
  };

  expect(largest(500)).toBeLessThan(largest(2) + 20);
});

it('ignores an endpoint whose subscription was skipped', () => {
  expect(documentsAfter(updated, disabled, unsubscribed).get(endpointId)).toBeUndefined();
});
