import type { WebhookEndpointsEvent } from '@refledger/contracts';
import { instantOf, given, when } from '../../test/scenario.js';
import { idOf, recorded, subscribe, subscribed } from '../../test/webhook-endpoints.js';
import { endpointChange, endpointRecordAt } from './endpoint-changes.js';
import {
  webhookEndpointsDecider,
  type WebhookEndpointsCommand,
} from './webhook-endpoints.decider.js';

/** The events of the commands after a subscription, as this release records them. */
const history = (...commands: readonly WebhookEndpointsCommand[]) => {
  const events: WebhookEndpointsEvent[] = [subscribed('a')];
  for (const command of commands)
    events.push(
      ...when(webhookEndpointsDecider, given(webhookEndpointsDecider, ...events), command),
    );
  return events.map(recorded);
};
const update = (patch: object): WebhookEndpointsCommand => ({
  type: 'update',
  endpoint_id: idOf('a'),
  patch,
});
const rotate = (secret: string, overlap_ms: number, now: string): WebhookEndpointsCommand => ({
  type: 'rotate',
  endpoint_id: idOf('a'),
  secret,
  overlap_ms,
  now,
});
const found = (found: object): WebhookEndpointsCommand =>
  ({ endpoint_id: idOf('a'), version: 9, ...found }) as WebhookEndpointsCommand;
/** The change of the last event alone. */
const lastChange = (events: ReturnType<typeof history>) => events.slice(-1).map(endpointChange)[0];
const newSecret = { path: '/secret', before: '(changed)', after: '(changed)' };

it('the first change is from nothing, and shows no secret', () => {
  const change = lastChange(history());
  expect(change?.changes.map(({ path }) => path)).toEqual(
    ['id', 'object', 'target_url', 'events', 'status', 'health', 'payload'].map((f) => `/${f}`),
  );
  expect(change?.changes.every(({ before }) => before === null)).toBe(true);
  expect(JSON.stringify(change?.changes)).not.toContain('sealed');
});

it('a change shows the fields before and after it, in the order of the record', () => {
  const patch = { status: 'paused', description: 'new', events: ['payout.created'] };
  expect(lastChange(history(update(patch)))).toMatchObject({
    reason: null,
    changes: [
      { path: '/events', before: ['conversion.created'], after: ['payout.created'] },
      { path: '/description', before: null, after: 'new' },
      { path: '/status', before: 'enabled', after: 'paused' },
    ],
  });
});

it('what the service found out is a change, and a disabled endpoint has the reason', () => {
  const fail = found({ type: 'fail', failing_since: instantOf(0) });
  const isFailing = history(fail);
  expect(lastChange(isFailing)?.changes).toEqual([
    { path: '/health', before: 'ok', after: 'failing' },
    { path: '/failing_since', before: null, after: instantOf(0) },
  ]);
  expect(lastChange(history(fail, found({ type: 'recover' })))?.changes).toEqual([
    { path: '/health', before: 'failing', after: 'ok' },
    { path: '/failing_since', before: instantOf(0), after: null },
  ]);
  expect(lastChange(history(fail, found({ type: 'disable', reason: 'failing' })))).toMatchObject({
    reason: 'failing',
    changes: [
      { path: '/status', before: 'enabled', after: 'disabled' },
      { path: '/disabled', before: null, after: { reason: 'failing', at: instantOf(2) } },
      { path: '/health', before: 'failing', after: 'ok' },
      { path: '/failing_since', before: instantOf(0), after: null },
    ],
  });
});

it('a renewed subscription changes nothing', () => {
  const renewed = history(subscribe('a', { endpoint_id: idOf('unused'), now: instantOf(1) }));
  expect(lastChange(renewed)).toMatchObject({
    event: { type: 'webhook.updated' },
    changes: [],
  });
});

describe('a rotated secret', () => {
  it('is shown as changed, with its overlap', () => {
    expect(lastChange(history(rotate('sealed next', 60_000, instantOf(1))))?.changes).toEqual([
      { path: '/secret_rotation', before: null, after: { signs_until: instantOf(61) } },
      newSecret,
    ]);
  });

  it('that ends the overlap of the last one shows only that end', () => {
    const begun = rotate('sealed next', 60_000, instantOf(1));
    expect(lastChange(history(begun, rotate('sealed next', 0, instantOf(2))))?.changes).toEqual([
      { path: '/secret_rotation', before: { signs_until: instantOf(61) }, after: null },
    ]);
  });

  it('has an overlap that ends by itself, and no later change shows that end', () => {
    const change = lastChange(
      history(rotate('sealed next', 500, instantOf(1)), update({ description: 'new' })),
    );
    expect(change?.changes.map(({ path }) => path)).toEqual(['/description']);
    expect(
      change?.after && endpointRecordAt(change.after, instantOf(2)).secret_rotation,
    ).toBeNull();
    expect(
      change?.after && endpointRecordAt(change.after, instantOf(1)).secret_rotation,
    ).not.toBeNull();
  });

  it('in the append of another change is a change of its own', () => {
    const command = subscribe('a', {
      description: 'new',
      secret: 'sealed next',
      now: instantOf(1),
    });
    const changes = history(update({ status: 'paused' }), command)
      .slice(-2)
      .map(endpointChange);
    expect(changes.map(({ event, changes: made }) => [event.type, made])).toEqual([
      ['webhook.updated', [{ path: '/description', before: null, after: 'new' }]],
      ['webhook.secret_rotated', [newSecret]],
    ]);
  });
});
