import { endpointStatuses, eventPatterns, webhookEndpointSchema } from '@refledger/contracts';
import type { EndpointFields, WebhookEndpointsEvent } from '@refledger/contracts';
import fc from 'fast-check';
import { instantOf, given, obeysLaws, refusal, textMatching } from '../../test/scenario.js';
import {
  decided,
  disabled,
  enabled,
  expectWhole,
  fieldsOf,
  idOf,
  paused,
  subscribe,
  subscribed,
  target,
  unsubscribed,
  updated,
  before,
} from '../../test/webhook-endpoints.js';
import type { Decider } from '../decider.js';
import {
  endpointAt,
  endpointRecord,
  maxEndpoints,
  type WebhookEndpointsState,
} from './endpoint.js';
import type { SubscribeCommand } from './subscription.js';
import {
  webhookEndpointsDecider,
  type WebhookEndpointsCommand,
} from './webhook-endpoints.decider.js';

const none = given(webhookEndpointsDecider);
const one = given(webhookEndpointsDecider, subscribed('a'));

describe('subscribing a new address', () => {
  it('creates an endpoint with a generated secret and its kinds without duplicates, in order', () => {
    expect(
      decided(
        none,
        subscribe('a', {
          events: ['conversion.refunded', 'affiliate.created', 'conversion.refunded'],
        }),
      ),
    ).toEqual([subscribed('a', { events: ['conversion.refunded', 'affiliate.created'] })]);
  });

  it("uses the client's secret and description", () => {
    expect(decided(none, subscribe('a', { secret: 'sealed own', description: 'mine' }))).toEqual([
      subscribed('a', { secret: 'sealed own', description: 'mine' }),
    ]);
  });

  it('is rejected beyond a hundred, while known ones can still be changed', () => {
    const full = given(
      webhookEndpointsDecider,
      ...Array.from({ length: maxEndpoints }, (_, index) => subscribed(`n${index}`)),
    );
    expect(refusal(() => decided(full, subscribe('more')))).toMatchObject({
      code: 'too_many_endpoints',
      detail: textMatching('100'),
    });
    expect(decided(full, subscribe('n5', { description: 'x' }))).toHaveLength(1);
    const fewer = webhookEndpointsDecider.evolve(full, unsubscribed('n3'), {
      revision: 100,
      recordedAt: instantOf(100),
    });
    expect(decided(fewer, subscribe('more'))).toHaveLength(1);
  });
});

describe('subscribing a known address', () => {
  const again = (more: Partial<SubscribeCommand>) =>
    subscribe('a', { endpoint_id: idOf('unused'), new_secret: 'sealed unused', ...more });

  it('without changes still creates a version, which a 410 for an earlier one does not disable', () => {
    expect(decided(one, again({}))).toEqual([updated('a')]);
    expect(
      decided(
        one,
        again({ secret: 'sealed new', events: ['conversion.created', 'conversion.created'] }),
      ),
    ).toEqual([updated('a')]);
    expect(
      decided(given(webhookEndpointsDecider, subscribed('a'), updated('a')), {
        type: 'disable',
        endpoint_id: idOf('a'),
        version: 0,
        reason: 'gone',
      }),
    ).toEqual([]);
  });

  describe('without changes', () => {
    const renewedAfter =
      (...events: readonly WebhookEndpointsEvent[]) =>
      (seconds: number, more: Partial<SubscribeCommand> = {}) =>
        decided(
          given(webhookEndpointsDecider, ...events),
          again({ now: instantOf(seconds), ...more }),
        );

    it('creates two versions per minute, and the next once the first is a minute old', () => {
      const once = renewedAfter(subscribed('a'), updated('a'));
      const twice = renewedAfter(subscribed('a'), updated('a'), updated('a'));
      expect([once(1), once(2)]).toEqual([[updated('a')], [updated('a')]]);
      expect([twice(2), twice(3), twice(60.999)]).toEqual([[], [], []]);
      expect([twice(61), twice(3_600)]).toEqual([[updated('a')], [updated('a')]]);
    });

    it('considers only the last two', () => {
      const thrice = renewedAfter(subscribed('a'), updated('a'), updated('a'), updated('a'));
      expect([thrice(61.999), thrice(62)]).toEqual([[], [updated('a')]]);
    });

    it('creates none while the clock is set back to before them', () => {
      expect(renewedAfter(subscribed('a'), updated('a'), updated('a'))(-3_600)).toEqual([]);
    });

    it('always creates one that changes or enables something, without counting it', () => {
      const twice = renewedAfter(subscribed('a'), updated('a'), updated('a'));
      expect(twice(3, { description: 'new' })).toEqual([updated('a', { description: 'new' })]);
      expect(renewedAfter(subscribed('a'), updated('a'), updated('a'), disabled('a'))(4)).toEqual([
        enabled('a'),
      ]);
      const changes = [
        updated('a', { secret: 's' }),
        updated('a', { secret: 't' }),
        disabled('a'),
        updated('a', { secret: 't' }),
      ];
      expect(renewedAfter(subscribed('a'), ...changes)(5)).toEqual([updated('a', { secret: 't' })]);
    });

    it('counts each endpoint separately', () => {
      expect(renewedAfter(subscribed('b'), updated('b'), updated('b'), subscribed('a'))(4)).toEqual(
        [updated('a')],
      );
    });
  });

  it.each<Partial<EndpointFields>>([
    { events: ['affiliate.created'] },
    { events: ['conversion.created', 'affiliate.created'] },
    { description: 'new' },
    { description: '' },
  ])('replaces %j and keeps the id', (change) => {
    expect(decided(one, again(change as Partial<SubscribeCommand>))).toEqual([
      updated('a', change),
    ]);
  });

  it('replaces one kind of several', () => {
    const two = given(
      webhookEndpointsDecider,
      subscribed('a', { events: ['conversion.created', 'affiliate.created'] }),
    );
    expect(decided(two, again({ events: ['conversion.created', 'payout.created'] }))).toEqual([
      updated('a', { events: ['conversion.created', 'payout.created'] }),
    ]);
  });

  it('keeps an omitted secret and description', () => {
    const described = given(
      webhookEndpointsDecider,
      subscribed('a', { secret: 'sealed own', description: 'mine' }),
    );
    expect(decided(described, again({ events: ['affiliate.created'] }))).toEqual([
      updated('a', { events: ['affiliate.created'], secret: 'sealed own', description: 'mine' }),
    ]);
  });

  it('enables it again when it was disabled', () => {
    const off = given(webhookEndpointsDecider, subscribed('a'), disabled('a'));
    expect(off).toMatchObject([{ id: idOf('a'), status: 'disabled' }]);
    expect(decided(off, again({}))).toEqual([enabled('a')]);
    expect(given(webhookEndpointsDecider, subscribed('a'), disabled('a'), enabled('a'))).toEqual([
      {
        id: idOf('a'),
        fields: fieldsOf('a'),
        status: 'enabled',
        disabled: null,
        failing_since: null,
        previous: null,
        created_at: instantOf(0),
        updated_at: instantOf(2),
        revision: 2,
        renewed: [],
      },
    ]);
  });

  it('leaves it paused when it was paused', () => {
    const pause = given(webhookEndpointsDecider, subscribed('a'), paused('a'));
    expect(decided(pause, again({}))).toEqual([]);
    expect(decided(pause, again({ description: 'new' }))).toEqual([
      updated('a', { description: 'new' }, 'paused'),
    ]);
  });

  it('gives a new id after an unsubscribe', () => {
    expect(
      decided(given(webhookEndpointsDecider, subscribed('a'), unsubscribed('a')), again({})),
    ).toMatchObject([{ type: 'webhook.subscribed', data: { endpoint_id: idOf('unused') } }]);
  });
});

describe('unsubscribing', () => {
  it('removes the endpoint at the address, and only that one', () => {
    const two = given(webhookEndpointsDecider, subscribed('a'), subscribed('b'));
    expect(
      decided(two, {
        type: 'unsubscribe',
        target_key: target('b').target_key,
      }),
    ).toEqual([unsubscribed('b')]);
    expect(
      given(webhookEndpointsDecider, subscribed('a'), subscribed('b'), unsubscribed('b')).map(
        ({ id }) => id,
      ),
    ).toEqual([idOf('a')]);
  });

  it('an unknown address fails with not_found', () => {
    expect(
      refusal(() => decided(none, { type: 'unsubscribe', target_key: 'https://x/' })),
    ).toMatchObject({ code: 'not_found', detail: textMatching('https://x/') });
  });
});

describe('disabling', () => {
  const disable = (version: number): WebhookEndpointsCommand => ({
    type: 'disable',
    endpoint_id: idOf('a'),
    version,
    reason: 'gone',
  });

  it('disables the version that was used', () =>
    expect(decided(one, disable(0))).toEqual([disabled('a')]));

  it.each([
    {
      why: 'there is a newer version',
      history: [subscribed('a'), updated('a', { description: 'x' })],
    },
    { why: 'it is disabled already', history: [subscribed('a'), disabled('a')] },
    { why: 'it is paused', history: [subscribed('a'), paused('a')] },
    { why: 'it is gone', history: [subscribed('a'), unsubscribed('a')] },
    { why: 'it was never there', history: [] },
  ])('has no effect when $why', ({ history }) => {
    expect(decided(given(webhookEndpointsDecider, ...history), disable(0))).toEqual([]);
  });

  it('disables it regardless of other endpoints in the stream', () => {
    expect(
      decided(given(webhookEndpointsDecider, subscribed('a'), subscribed('b')), disable(0)),
    ).toHaveLength(1);
  });
});

it('has a state that grows with its endpoints, not with the number of events', () => {
  const size = (events: number) => {
    const changes = Array.from({ length: events }, (_, n) => [
      updated('a', { secret: `s${n % 2}` }),
      updated('a', { secret: `s${n % 2}` }),
      subscribed('b'),
      unsubscribed('b'),
    ]).flat();
    return JSON.stringify(given(webhookEndpointsDecider, subscribed('a'), ...changes)).length;
  };
  expect(size(500)).toBeLessThan(size(2) + 10);
});

/** Checks that the last command, a subscription, enabled its endpoint unless that is paused. */
const expectSubscribed = (
  asked: SubscribeCommand,
  state: WebhookEndpointsState,
  events: number,
): void => {
  const endpoint = endpointAt(state, asked.target_key);
  expect(['enabled', 'paused']).toContain(endpoint?.status);
  // subscribing again may leave a paused endpoint unchanged
  if (endpoint?.status !== 'enabled') return;
  expect(endpoint).toMatchObject({ revision: events - 1, updated_at: instantOf(events - 1) });
  const { id: endpoint_id, fields } = endpoint;
  // the event of its secret follows
  if (asked.secret !== undefined && asked.secret !== fields.secret) return;
  const later = { ...asked, now: instantOf(events + 60) };
  expect(decided(state, later)).toEqual([
    { type: 'webhook.updated', data: { endpoint_id, before, fields, status: 'enabled' } },
  ]);
};

/** Deletes, updates and rotates the nth endpoint, whatever its id, if there is one. */
const byPlace: Decider<
  { readonly command: WebhookEndpointsCommand; readonly nth: number },
  WebhookEndpointsState,
  WebhookEndpointsEvent
> = {
  ...webhookEndpointsDecider,
  decide({ command, nth }, state) {
    const { id } = state[nth] ?? {};
    const isById = 'endpoint_id' in command && command.type !== 'subscribe';
    return webhookEndpointsDecider.decide(
      isById && id !== undefined ? { ...command, endpoint_id: id } : command,
      state,
    );
  },
};

const names = fc.constantFrom('a', 'b', 'c');
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const command: fc.Arbitrary<WebhookEndpointsCommand> = fc.oneof(
  fc
    .record({
      name: names,
      unique: fc.nat(),
      events: fc.array(fc.constantFrom(...eventPatterns), { minLength: 1, maxLength: 4 }),
      secret: optional(fc.constantFrom('s', 't')),
      description: optional(fc.constantFrom('', 'd')),
      now: fc.nat({ max: 150 }).map(instantOf),
    })
    .map(({ name, unique, ...more }) =>
      subscribe(name, { endpoint_id: idOf(`${name}${unique}`), ...more }),
    ),
  names.map((name) => ({ type: 'unsubscribe' as const, target_key: target(name).target_key })),
  fc.constant({ type: 'delete' as const, endpoint_id: idOf('unknown') }),
  fc
    .record({
      secret: fc.constantFrom('s', 't', 'u'),
      overlap_ms: fc.constantFrom(0, 1_000, 60_000),
      now: fc.nat({ max: 150 }).map(instantOf),
    })
    .map((rotation) => ({
      type: 'rotate' as const,
      endpoint_id: idOf('unknown'),
      ...rotation,
    })),
  fc
    .record({
      to: optional(names),
      description: optional(names),
      status: optional(fc.constantFrom(...endpointStatuses)),
      held: optional(fc.constantFrom('send' as const, 'drop' as const)),
    })
    .map(({ to, ...given }) => ({
      type: 'update' as const,
      endpoint_id: idOf('unknown'),
      patch: { target: to && target(to), ...given },
    })),
  fc
    .record({
      version: fc.nat({ max: 40 }),
      found: fc.constantFrom(
        { type: 'disable', reason: 'gone' } as const,
        { type: 'disable', reason: 'failing' } as const,
        { type: 'fail', failing_since: instantOf(0) } as const,
        { type: 'recover' } as const,
      ),
    })
    .map(({ version, found }) => ({ ...found, endpoint_id: idOf('unknown'), version })),
);

it('obeys the laws of a decider, and has one endpoint per address', () => {
  const aboutOne = fc.record({ command, nth: fc.nat({ max: 3 }) });
  obeysLaws(byPlace, aboutOne, ({ state, command: { command: asked }, event, history }) => {
    expectWhole(event, state, history.length - 1);
    const records = state.map((endpoint) => webhookEndpointSchema.parse(endpointRecord(endpoint)));
    expect(new Set(records.map(({ target_url }) => target_url)).size).toBe(records.length);
    for (const { status, disabled: why } of records)
      expect(why === null).toBe(status !== 'disabled');
    if (asked.type === 'subscribe') expectSubscribed(asked, state, history.length);
  });
});
