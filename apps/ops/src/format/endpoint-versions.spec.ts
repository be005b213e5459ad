import type { AccountId, EndpointId, Position, WebhookEndpointsEvent } from '@refledger/contracts';
import {
  webhookEndpointsDecider,
  type WebhookEndpointsCommand,
  type WebhookEndpointsState,
} from '@refledger/domain';
import { encodeEvent, type LoggedEvent } from '@refledger/event-log';
import { present } from '@refledger/testing/present';
import { eventParagraph, eventRow } from './event-lines.js';

const id = 'whk_1' as EndpointId;
const account_id: AccountId = 'acct_1';
const at = '2026-01-01T00:00:00.000Z';
const fields = {
  target_url: 'https://example.org/hook',
  target_key: 'https://example.org/hook',
  events: ['payout.created' as const],
  description: null,
  secret: 'sealed-1',
  payload: 'full' as const,
  max_per_second: null,
};

/** The last event after these commands to a new endpoint, as the service records it. */
const lastAfter = (...commands: readonly WebhookEndpointsCommand[]): LoggedEvent => {
  let state: WebhookEndpointsState = [];
  const logged: LoggedEvent[] = [];
  const record = (event: WebhookEndpointsEvent) => {
    const revision = logged.length;
    const meta = { account_id, actor: 'key_1', request_id: 'r', recorded_at: at };
    logged.push({
      ...encodeEvent(event, `e${revision}`, meta),
      stream: 'refledger.webhooks-acct_1',
      revision,
      position: `${revision + 1}` as Position,
    });
    state = webhookEndpointsDecider.evolve(state, event, { recordedAt: at, revision });
  };
  record({ type: 'webhook.subscribed', data: { endpoint_id: id, fields } });
  for (const command of commands)
    for (const event of webhookEndpointsDecider.decide(command, state)) record(event);
  return present(logged.at(-1));
};

const update = (patch: object): WebhookEndpointsCommand => ({
  type: 'update',
  endpoint_id: id,
  patch,
});
const pause = update({ status: 'paused' });
const found = (finding: object) =>
  ({ endpoint_id: id, version: 0, ...finding }) as WebhookEndpointsCommand;
const fail = found({ type: 'fail', failing_since: at });
const disable = found({ type: 'disable', reason: 'gone' });
const rotate = (secret: string, overlap_ms: number): WebhookEndpointsCommand => ({
  type: 'rotate',
  endpoint_id: id,
  secret,
  overlap_ms,
  now: at,
});

it.each([
  ['webhook.updated', [update({ description: 'mine' })], ['description: none → mine']],
  [
    'webhook.paused',
    [update({ status: 'paused', events: ['payout.failed'] })],
    ['events: ["payout.created"] → ["payout.failed"]', 'status: enabled → paused'],
  ],
  [
    'webhook.enabled',
    [pause, update({ status: 'enabled', held: 'drop' })],
    ['held: drop', 'status: paused → enabled'],
  ],
  ['webhook.failing', [fail], [`failing_since: none → ${at}`]],
  ['webhook.recovered', [fail, found({ type: 'recover' })], [`failing_since: ${at} → none`]],
  [
    'webhook.disabled',
    [fail, disable],
    ['status: enabled → disabled', 'disabled: none → "gone"', `failing_since: ${at} → none`],
  ],
  [
    'webhook.enabled',
    [disable, update({ status: 'enabled' })],
    ['held: send', 'status: disabled → enabled', 'disabled: "gone" → none'],
  ],
  [
    'webhook.secret_rotated',
    [rotate('sealed-2', 60_000)],
    [
      'secret: [sealed] → [sealed]',
      'previous.secret: [sealed]',
      'previous.signs_until: 2026-01-01T00:01:00.000Z',
    ],
  ],
  [
    'webhook.secret_rotated',
    [rotate('sealed-2', 60_000), rotate('sealed-3', 0)],
    [
      'secret: [sealed] → [sealed]',
      'previous.secret: [sealed] → gone',
      'previous.signs_until: 2026-01-01T00:01:00.000Z → gone',
      'previous: none',
    ],
  ],
])('%s shows what it changed about its endpoint, and nothing else', (type, commands, changes) => {
  const event = lastAfter(...commands);
  expect(event.type).toBe(type);
  const [, ...lines] = eventParagraph(event).split('\n');
  expect(lines).toEqual([`endpoint_id: ${id}`, ...changes].map((line) => `    ${line}`));
  const inRow = changes.map((change) => change.replace(': ', ' '));
  expect(eventRow(event).endsWith(`  endpoint_id ${id}, ${inRow.join(', ')}`)).toBe(true);
});

it('an event that cannot be read is shown as it is', () => {
  const { data, ...event } = lastAfter(pause);
  const lines = (damaged: unknown, schema = event.metadata.schema) =>
    eventParagraph({ ...event, data: damaged, metadata: { ...event.metadata, schema } });
  for (const shown of [lines({ ...Object(data), fields: null }), lines(data, 99)])
    expect(shown).toContain('fields.target_url');
  expect(lines({ before: 7 })).toContain('    : 7 → gone');
});
