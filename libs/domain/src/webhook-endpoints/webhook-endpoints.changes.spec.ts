import type { EndpointFields } from '@refledger/contracts';
import { given, refusal, textMatching } from '../../test/scenario.js';
import {
  decided,
  disabled,
  idOf,
  subscribe,
  subscribed,
  target,
  unsubscribed,
  updated,
} from '../../test/webhook-endpoints.js';
import {
  webhookEndpointsDecider,
  type EndpointPatch,
  type WebhookEndpointsCommand,
} from './webhook-endpoints.decider.js';

const one = given(webhookEndpointsDecider, subscribed('a'));

describe('updating', () => {
  const update = (patch: EndpointPatch, name = 'a'): WebhookEndpointsCommand => ({
    type: 'update',
    endpoint_id: idOf(name),
    patch,
  });

  it.each<{ readonly patch: EndpointPatch; readonly change: Partial<EndpointFields> }>([
    { patch: { target: target('b') }, change: target('b') },
    { patch: { description: 'new' }, change: { description: 'new' } },
    {
      patch: { events: ['payout.created', 'affiliate.created', 'payout.created'] },
      change: { events: ['payout.created', 'affiliate.created'] },
    },
  ])('changes $change and nothing else', ({ patch, change }) => {
    expect(decided(one, update(patch))).toEqual([updated('a', change)]);
  });

  it('removes the description with null', () => {
    const described = given(webhookEndpointsDecider, subscribed('a', { description: 'mine' }));
    expect(decided(described, update({ description: null }))).toEqual([updated('a')]);
  });

  it('has no effect when nothing changes', () => {
    for (const patch of [
      {},
      { target: target('a'), events: ['conversion.created' as const], description: null },
    ])
      expect(decided(one, update(patch))).toEqual([]);
  });

  it('leaves a disabled endpoint disabled', () => {
    const off = given(webhookEndpointsDecider, subscribed('a'), disabled('a'));
    const event = updated('a', { description: 'new' }, 'disabled');
    expect(decided(off, update({ description: 'new' }))).toEqual([event]);
    expect(given(webhookEndpointsDecider, subscribed('a'), disabled('a'), event)).toMatchObject([
      { status: 'disabled', revision: 2, fields: { description: 'new' } },
    ]);
  });

  it('makes a version that a 410 for an earlier one does not disable', () => {
    const moved = given(webhookEndpointsDecider, subscribed('a'), updated('a', target('b')));
    const disable = {
      type: 'disable',
      endpoint_id: idOf('a'),
      version: 0,
      reason: 'gone',
    } as const;
    expect(decided(moved, disable)).toEqual([]);
  });

  it('refuses the target of another endpoint, and names that one', () => {
    const two = given(webhookEndpointsDecider, subscribed('a'), subscribed('b'));
    expect(refusal(() => decided(two, update({ target: target('b') })))).toMatchObject({
      code: 'target_exists',
      detail: textMatching(idOf('b')),
    });
  });

  it('frees the earlier target for another endpoint', () => {
    const moved = given(webhookEndpointsDecider, subscribed('a'), updated('a', target('b')));
    expect(decided(moved, subscribe('c', target('a')))).toEqual([subscribed('c', target('a'))]);
    expect(decided(moved, subscribe('c', target('b')))).toEqual([updated('a', target('b'))]);
  });

  it('an unknown endpoint fails with not_found', () => {
    expect(refusal(() => decided(one, update({ description: 'x' }, 'b')))).toMatchObject({
      code: 'not_found',
      detail: textMatching(idOf('b')),
    });
  });
});

describe('deleting', () => {
  it('removes the endpoint with the id, and only that one', () => {
    const two = given(webhookEndpointsDecider, subscribed('a'), subscribed('b'));
    expect(decided(two, { type: 'delete', endpoint_id: idOf('b') })).toEqual([unsubscribed('b')]);
  });

  it('an unknown endpoint fails with not_found', () => {
    expect(refusal(() => decided(one, { type: 'delete', endpoint_id: idOf('b') }))).toMatchObject({
      code: 'not_found',
      detail: textMatching(idOf('b')),
    });
  });
});
