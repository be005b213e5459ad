import {
  webhookEndpointSchema,
  type DomainEvent,
  type PublicEventType,
} from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import { endpointBefore as before, endpointFields, endpointId } from '../test/builders.js';
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
  data: { endpoint_id: endpointId, before, fields: newFields, status: 'enabled' },
};
const updatedWhileDisabled: DomainEvent = {
  type: 'webhook.updated',
  data: { endpoint_id: endpointId, before, fields: newFields, status: 'disabled' },
};
const disabled: DomainEvent = {
  type: 'webhook.disabled',
  data: { endpoint_id: endpointId, before, reason: 'gone' },
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
  present(documentsAfter(...events).get(endpointId)?.record);

it('starts with the subscription', () => {
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
    disabled: null,
    health: 'ok',
    failing_since: null,
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
    disabled: { reason: 'gone', at: minute(2) },
    description: 'mine',
    updated_at: minute(2),
  });
  expect(recordAfter(subscribed, disabled, updated)).toMatchObject({
    status: 'enabled',
    events: ['affiliate.created'],
  });
  const paused = documentsAfter(subscribed, disabled, {
    type: 'webhook.paused',
    data: { endpoint_id: endpointId, before, fields: newFields },
  });
  expect(present(paused.get(endpointId)).record).toMatchObject({
    status: 'paused',
    disabled: null,
  });
  const changed = documentsAfter(subscribed, disabled, updatedWhileDisabled);
  expect(present(changed.get(endpointId)).record).toMatchObject({
    status: 'disabled',
    events: ['affiliate.created'],
  });
  expect(documentsAfter(subscribed, updated, unsubscribed).get(endpointId)).toBeNull();
});

it('shows until when an previous secret signs', () => {
  const previous = { secret: 'sealed-1', signs_until: minute(60) };
  const documents = documentsAfter(subscribed, {
    type: 'webhook.secret_rotated',
    data: { endpoint_id: endpointId, before, secret: 'sealed-2', previous },
  });
  expect(documents.get(endpointId)).toMatchObject({
    endpoint: { fields: { secret: 'sealed-2' }, previous },
    record: { secret_rotation: { signs_until: minute(60) }, updated_at: minute(2) },
  });
  expect(JSON.stringify(present(documents.get(endpointId)).record)).not.toContain('sealed');
});

it('keeps every event of an endpoint by its revision, whatever happens to it', () => {
  const other: DomainEvent = {
    type: 'webhook.subscribed',
    data: { endpoint_id: 'whk_2', fields: endpointFields() },
  };
  const events = record(
    [subscribed, other, updated, disabled, unsubscribed].map((event) => ({
      stream: 'refledger.webhooks-acct_1',
      event,
    })),
  );
  const documents = documentsOf(webhookEndpointsProjection, events);
  expect([...documents].filter(([id]) => id.startsWith(`${endpointId}@`))).toEqual(
    [0, 2, 3, 4].map((revision) => [
      `whk_1@${revision}`,
      { endpoint_id: endpointId, revision, event: events[revision] },
    ]),
  );
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
    const events: PublicEventType[] = n % 2 === 0 ? ['affiliate.created'] : ['conversion.created'];
    return {
      type: 'webhook.updated',
      data: {
        endpoint_id: endpointId,
        before,
        fields: endpointFields({ events }),
        status: 'enabled',
      },
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
