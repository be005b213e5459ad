import type { WebhookEndpointsEvent } from '@refledger/contracts';
import { instantOf, given, refusal, textMatching } from '../../test/scenario.js';
import {
  decided,
  disabled,
  enabled,
  idOf,
  paused,
  subscribed,
  target,
  updated,
} from '../../test/webhook-endpoints.js';
import {
  webhookEndpointsDecider,
  type EndpointPatch,
  type WebhookEndpointsCommand,
} from './webhook-endpoints.decider.js';

const update = (patch: EndpointPatch): WebhookEndpointsCommand => ({
  type: 'update',
  endpoint_id: idOf('a'),
  patch,
});
const histories = {
  enabled: [subscribed('a')],
  paused: [subscribed('a'), paused('a')],
  disabled: [subscribed('a'), disabled('a')],
} satisfies Record<string, WebhookEndpointsEvent[]>;
const decidedAfter = (history: keyof typeof histories, patch: EndpointPatch) =>
  decided(given(webhookEndpointsDecider, ...histories[history]), update(patch));

describe('changing the status', () => {
  it.each<{ from: keyof typeof histories; to: EndpointPatch; events: WebhookEndpointsEvent[] }>([
    { from: 'enabled', to: { status: 'paused' }, events: [paused('a')] },
    { from: 'disabled', to: { status: 'paused' }, events: [paused('a')] },
    { from: 'paused', to: { status: 'enabled' }, events: [enabled('a')] },
    { from: 'disabled', to: { status: 'enabled' }, events: [enabled('a')] },
    { from: 'enabled', to: { status: 'enabled' }, events: [] },
    { from: 'enabled', to: { status: 'enabled', held: 'send' }, events: [] },
    { from: 'paused', to: { status: 'paused' }, events: [] },
    { from: 'disabled', to: { status: 'disabled' }, events: [] },
  ])('from $from by $to', ({ from, to, events }) => {
    expect(decidedAfter(from, to)).toEqual(events);
  });

  it('with drop makes an event, even on an enabled endpoint', () => {
    for (const from of ['enabled', 'paused', 'disabled'] as const)
      expect(decidedAfter(from, { status: 'enabled', held: 'drop' })).toEqual([
        enabled('a', {}, 'drop'),
      ]);
  });

  it('to disabled is refused, and says what to do', () => {
    for (const [from, advice] of [
      ['enabled', 'paused'],
      ['paused', 'delete'],
    ] as const)
      expect(refusal(() => decidedAfter(from, { status: 'disabled' }))).toMatchObject({
        code: 'invalid_transition',
        detail: textMatching(advice),
      });
  });

  it('changes fields in the same event, and the other fields stay', () => {
    const fields = { ...target('b'), max_per_second: 5 };
    expect(
      decidedAfter('enabled', { status: 'paused', target: target('b'), max_per_second: 5 }),
    ).toEqual([paused('a', fields)]);
    expect(
      given(webhookEndpointsDecider, subscribed('a', { description: 'mine' }), paused('a', fields)),
    ).toMatchObject([{ status: 'paused', fields, updated_at: instantOf(1), revision: 1 }]);
  });

  it('leaves the status as it is when none is given', () => {
    expect(decidedAfter('paused', { description: 'new' })).toEqual([
      updated('a', { description: 'new' }, 'paused'),
    ]);
  });

  it('ends what disabled the endpoint', () => {
    const off = given(webhookEndpointsDecider, ...histories.disabled);
    expect(off).toMatchObject([{ disabled: { reason: 'gone', at: instantOf(1) } }]);
    for (const [event, status] of [
      [paused('a'), 'paused'],
      [enabled('a'), 'enabled'],
    ] as const)
      expect(given(webhookEndpointsDecider, ...histories.disabled, event)).toMatchObject([
        { status, disabled: null },
      ]);
    expect(
      given(webhookEndpointsDecider, ...histories.disabled, updated('a', {}, 'disabled')),
    ).toMatchObject([{ disabled: { reason: 'gone', at: instantOf(1) } }]);
  });
});
