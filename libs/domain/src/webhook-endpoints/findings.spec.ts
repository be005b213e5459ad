import type { WebhookEndpointsEvent } from '@refledger/contracts';
import { instantOf, given } from '../../test/scenario.js';
import {
  decided,
  disabled,
  enabled,
  failing,
  idOf,
  paused,
  recovered,
  subscribed,
  target,
  unsubscribed,
  updated,
  before,
} from '../../test/webhook-endpoints.js';
import { endpointRecord } from './endpoint.js';
import {
  webhookEndpointsDecider,
  type WebhookEndpointsCommand,
} from './webhook-endpoints.decider.js';

const found = (
  command: 'fail' | 'recover' | 'disable',
  version: number,
): WebhookEndpointsCommand => {
  const of = { endpoint_id: idOf('a'), version };
  switch (command) {
    case 'fail':
      return { ...of, type: 'fail', failing_since: instantOf(0) };
    case 'recover':
      return { ...of, type: 'recover' };
    case 'disable':
      return { ...of, type: 'disable', reason: 'failing' };
  }
};
const decidedAfter = (
  history: readonly WebhookEndpointsEvent[],
  command: WebhookEndpointsCommand,
) => decided(given(webhookEndpointsDecider, ...history), command);
const healthAfter = (...history: readonly WebhookEndpointsEvent[]) => {
  const [endpoint] = given(webhookEndpointsDecider, ...history);
  return endpoint && endpointRecord(endpoint).health;
};

it('an endpoint is failing once, and recovers once', () => {
  expect(decidedAfter([subscribed('a')], found('fail', 0))).toEqual([failing('a')]);
  expect(decidedAfter([subscribed('a'), failing('a')], found('fail', 0))).toEqual([]);
  expect(decidedAfter([subscribed('a'), failing('a')], found('recover', 0))).toEqual([
    recovered('a'),
  ]);
  expect(decidedAfter([subscribed('a')], found('recover', 0))).toEqual([]);
  expect(
    decidedAfter([subscribed('a'), failing('a'), recovered('a')], found('recover', 0)),
  ).toEqual([]);
});

it('a change of health changes neither the version nor when the endpoint was changed', () => {
  expect(
    given(webhookEndpointsDecider, subscribed('a'), failing('a'), recovered('a')),
  ).toMatchObject([{ revision: 0, updated_at: instantOf(0), failing_since: null }]);
  expect(decidedAfter([subscribed('a'), failing('a')], found('disable', 0))).toEqual([
    { type: 'webhook.disabled', data: { endpoint_id: idOf('a'), before, reason: 'failing' } },
  ]);
});

it.each([
  ['changed', [subscribed('a'), updated('a', { description: 'x' })]],
  ['paused', [subscribed('a'), paused('a')]],
  ['disabled', [subscribed('a'), disabled('a')]],
  ['unsubscribed', [subscribed('a'), unsubscribed('a')]],
])('nothing that was found out counts once the endpoint is %s', (_, history) => {
  for (const command of ['fail', 'recover', 'disable'] as const)
    expect(decidedAfter(history, found(command, 0))).toEqual([]);
});

it('health is ok again after pausing, enabling or disabling, but a new target does not change it', () => {
  const history = [subscribed('a'), failing('a')];
  expect(healthAfter(...history)).toBe('failing');
  for (const event of [paused('a'), enabled('a'), enabled('a', {}, 'drop'), disabled('a')])
    expect(healthAfter(...history, event)).toBe('ok');
  expect(healthAfter(...history, updated('a', target('b')))).toBe('failing');
});
