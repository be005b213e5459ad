import {
  newId,
  streams,
  type DomainEvent,
  type EndpointBefore,
  type Position,
} from '@refledger/contracts';
import { decodeEvent, encodeEvent } from '@refledger/event-log';
import { EndpointHistory } from './endpoint-history.js';
import { isEndpointEvent, type EndpointEvent } from './endpoint-version.js';

const positionOf = (position: number): Position => String(position) as Position;
const [one, other] = [newId('account'), newId('account')];
const endpoint = newId('endpoint');

const eventAt = (position: number, event: DomainEvent, account = one): EndpointEvent => {
  const encoded = encodeEvent(event, `e${position}`, {
    account_id: account,
    actor: 'k',
    request_id: 'r',
    recorded_at: '',
  });
  const decoded = decodeEvent({
    ...encoded,
    stream: streams.webhooks(account),
    revision: position,
    position: positionOf(position),
  });
  if (!isEndpointEvent(decoded)) throw new TypeError(`${decoded.type} is about no endpoint`);
  return decoded;
};
const fields = {
  target_url: 'https://a/',
  target_key: 'https://a/',
  events: ['affiliate.created' as const],
  description: null,
  secret: 's',
  payload: 'full' as const,
  max_per_second: null,
};
const before: EndpointBefore = {
  fields,
  status: 'enabled',
  disabled: null,
  failing_since: null,
  previous: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};
const changed = { endpoint_id: endpoint, before };
const subscribed: DomainEvent = {
  type: 'webhook.subscribed',
  data: { endpoint_id: endpoint, fields },
};
const updated: DomainEvent = {
  type: 'webhook.updated',
  data: { ...changed, fields, status: 'enabled' },
};
const unsubscribed: DomainEvent = { type: 'webhook.unsubscribed', data: { endpoint_id: endpoint } };

it('keeps only changes above the floor', () => {
  const history = new EndpointHistory();
  history.add(eventAt(1, subscribed));
  for (let n = 2; n <= 1_000; n++) {
    history.add(eventAt(n, updated));
    if (n % 10 === 0) history.forgetUpTo(positionOf(n - 5));
    expect(history.size).toBeLessThanOrEqual(15);
  }
  history.forgetUpTo(positionOf(2_000));
  for (let n = 1_001; n <= 1_100; n++) history.add(eventAt(n, updated));
  expect(history.size).toBe(0);
  expect([...history.subscriptionsAt(one, positionOf(2_001)).keys()]).toEqual([endpoint]);
});

it('plans nothing for an endpoint that is changed while it is gone', () => {
  const history = new EndpointHistory();
  const gone = { ...changed, reason: 'gone' as const };
  history.add(eventAt(1, subscribed));
  history.add(eventAt(2, { type: 'webhook.disabled', data: gone }));
  const data = { ...changed, fields, status: 'disabled' as const };
  history.add(eventAt(3, { type: 'webhook.updated', data }));
  const enabled = { ...changed, fields, held: 'send' as const };
  history.add(eventAt(4, { type: 'webhook.enabled', data: enabled }));
  expect(
    [1, 2, 3, 4].map((n) => history.subscriptionsAt(one, positionOf(n)).get(endpoint)?.planned),
  ).toEqual(['send', 'not', 'not', 'send']);
});

it('remembers which payload was wanted when', () => {
  const history = new EndpointHistory();
  history.add(eventAt(1, subscribed));
  const thin = { ...fields, payload: 'thin' as const };
  const data = { ...changed, fields: thin, status: 'enabled' as const };
  history.add(eventAt(2, { type: 'webhook.updated', data }));
  expect(
    [1, 2].map((n) => history.subscriptionsAt(one, positionOf(n)).get(endpoint)?.payload),
  ).toEqual(['full', 'thin']);
});

it('keeps no change for a rotated secret', () => {
  const history = new EndpointHistory();
  history.add(eventAt(1, subscribed));
  const data = { ...changed, secret: 't', previous: null };
  history.add(eventAt(2, { type: 'webhook.secret_rotated', data }));
  expect(history.size).toBe(1);
  expect(history.subscriptionsAt(one, positionOf(2)).get(endpoint)?.events).toEqual(fields.events);
});

it('forgets an account without endpoints', () => {
  const history = new EndpointHistory();
  history.add(eventAt(1, subscribed));
  history.add(eventAt(2, subscribed, other));
  history.add(eventAt(3, unsubscribed));
  expect(history.accountCount).toBe(2);
  history.forgetUpTo(positionOf(3));
  expect(history.accountCount).toBe(1);
  expect(history.subscriptionsAt(one, positionOf(4)).size).toBe(0);
  expect(history.subscriptionsAt(other, positionOf(4)).size).toBe(1);
});

it('throws for forgotten positions', () => {
  const history = new EndpointHistory();
  history.add(eventAt(2, subscribed));
  history.add(eventAt(4, unsubscribed));
  history.forgetUpTo(positionOf(3));
  expect(() => history.subscriptionsAt(one, positionOf(1))).toThrow('no longer covers position 1');
  expect([2, 3, 4].map((n) => history.subscriptionsAt(one, positionOf(n)).size)).toEqual([1, 1, 0]);
});

it('applies no event twice', () => {
  const history = new EndpointHistory();
  for (const n of [1, 2, 1, 2]) history.add(eventAt(n, n === 1 ? subscribed : unsubscribed));
  expect(history.size).toBe(2);
});

it('tells whether all positions above a floor are remembered', () => {
  const history = new EndpointHistory();
  history.add(eventAt(5, subscribed));
  expect([undefined, positionOf(1)].map((floor) => history.isCompleteAbove(floor))).toEqual([
    true,
    true,
  ]);
  history.forgetUpTo(positionOf(7));
  expect(
    [undefined, positionOf(4), positionOf(5), positionOf(6)].map((floor) =>
      history.isCompleteAbove(floor),
    ),
  ).toEqual([false, false, true, true]);
});
