import type { PreviousSecret, WebhookEndpointsEvent } from '@refledger/contracts';
import { instantOf, given, refusal, textMatching } from '../../test/scenario.js';
import {
  decided,
  disabled,
  enabled,
  fieldsOf,
  idOf,
  subscribe,
  subscribed,
  updated,
  before,
} from '../../test/webhook-endpoints.js';
import { endpointRecord } from './endpoint.js';
import type { SubscribeCommand } from './subscription.js';
import {
  webhookEndpointsDecider,
  type WebhookEndpointsCommand,
} from './webhook-endpoints.decider.js';

const rotate = (
  secret: string,
  { overlap_ms = 60_000, seconds = 0 }: { overlap_ms?: number; seconds?: number } = {},
): WebhookEndpointsCommand => ({
  type: 'rotate',
  endpoint_id: idOf('a'),
  secret,
  overlap_ms,
  now: instantOf(seconds),
});
const rotated = (
  secret: string,
  previous: PreviousSecret | null = null,
): WebhookEndpointsEvent => ({
  type: 'webhook.secret_rotated',
  data: { endpoint_id: idOf('a'), before, secret, previous },
});
const again = (more: Partial<SubscribeCommand>): SubscribeCommand =>
  subscribe('a', { endpoint_id: idOf('unused'), new_secret: 'sealed unused', ...more });

const one = given(webhookEndpointsDecider, subscribed('a'));
/** The secret 'sealed new' signs alongside 'sealed next' until second 60. */
const overlap = rotated('sealed next', { secret: 'sealed new', signs_until: instantOf(60) });
const duringOverlap = given(webhookEndpointsDecider, subscribed('a'), overlap);

describe('rotating a secret', () => {
  it('keeps the earlier one signing for the overlap', () => {
    expect(decided(one, rotate('sealed next'))).toEqual([overlap]);
    const [endpoint] = duringOverlap;
    expect(endpoint).toMatchObject({
      fields: fieldsOf('a', { secret: 'sealed next' }),
      previous: { secret: 'sealed new', signs_until: instantOf(60) },
      revision: 1,
      updated_at: instantOf(1),
    });
    expect(endpoint && endpointRecord(endpoint).secret_rotation).toEqual({
      signs_until: instantOf(60),
    });
  });

  it('with no overlap replaces it at once', () => {
    expect(decided(one, rotate('sealed next', { overlap_ms: 0 }))).toEqual([
      rotated('sealed next'),
    ]);
    expect(given(webhookEndpointsDecider, subscribed('a'), rotated('sealed next'))).toMatchObject([
      { fields: { secret: 'sealed next' }, previous: null },
    ]);
  });

  it('is rejected until the overlap is over, and says when that is', () => {
    const during = rotate('sealed third', { seconds: 59.999 });
    expect(refusal(() => decided(duringOverlap, during))).toMatchObject({
      code: 'rotation_in_progress',
      detail: textMatching(instantOf(60)),
    });
    expect(decided(duringOverlap, rotate('sealed third', { seconds: 60 }))).toEqual([
      rotated('sealed third', { secret: 'sealed next', signs_until: instantOf(120) }),
    ]);
  });

  it('with no overlap ends every previous secret, even of a running overlap', () => {
    for (const secret of ['sealed third', 'sealed next'])
      expect(decided(duringOverlap, rotate(secret, { overlap_ms: 0 }))).toEqual([rotated(secret)]);
  });

  it('to the present secret changes nothing', () => {
    for (const overlap_ms of [0, 60_000])
      expect(decided(one, rotate('sealed new', { overlap_ms }))).toEqual([]);
    expect(decided(duringOverlap, rotate('sealed next'))).toEqual([]);
  });

  it('leaves a disabled endpoint disabled', () => {
    const off = given(webhookEndpointsDecider, subscribed('a'), disabled('a'), overlap);
    expect(off).toMatchObject([{ status: 'disabled', fields: { secret: 'sealed next' } }]);
  });

  it('makes a version that a 410 for an earlier one does not disable', () => {
    const disable = {
      type: 'disable',
      endpoint_id: idOf('a'),
      version: 0,
      reason: 'gone',
    } as const;
    expect(decided(duringOverlap, disable)).toEqual([]);
  });

  it('of an unknown endpoint fails with not_found', () => {
    expect(
      refusal(() => decided(given(webhookEndpointsDecider), rotate('sealed next'))),
    ).toMatchObject({ code: 'not_found', detail: textMatching(idOf('a')) });
  });
});

describe('subscribing a known address with another secret', () => {
  it('replaces it at once, in an event of its own', () => {
    expect(decided(one, again({ secret: 'sealed own' }))).toEqual([rotated('sealed own')]);
    const events = ['payout.created' as const];
    expect(decided(one, again({ secret: 'sealed own', events }))).toEqual([
      updated('a', { events }),
      rotated('sealed own'),
    ]);
  });

  it('enables a disabled endpoint, too', () => {
    const off = given(webhookEndpointsDecider, subscribed('a'), disabled('a'));
    expect(decided(off, again({ secret: 'sealed own' }))).toEqual([
      enabled('a'),
      rotated('sealed own'),
    ]);
  });

  it('is rejected during an overlap, and changes nothing', () => {
    const events = ['payout.created' as const];
    for (const secret of ['sealed own', 'sealed new'])
      expect(refusal(() => decided(duringOverlap, again({ secret, events })))).toMatchObject({
        code: 'rotation_in_progress',
      });
  });
});

it('subscribing a known address with the present secret, or none, does not end an overlap', () => {
  for (const secret of ['sealed next', undefined]) {
    const events = decided(duringOverlap, again({ secret }));
    expect(events).toEqual([updated('a', { secret: 'sealed next' })]);
    expect(given(webhookEndpointsDecider, subscribed('a'), overlap, ...events)).toMatchObject([
      { previous: { secret: 'sealed new', signs_until: instantOf(60) } },
    ]);
  }
});
