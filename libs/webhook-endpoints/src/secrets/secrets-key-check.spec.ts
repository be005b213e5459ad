import { randomBytes } from 'node:crypto';
import {
  newId,
  streams,
  type EndpointFields,
  type Position,
  type WebhookEndpointsEvent,
} from '@refledger/contracts';
import { encodeEvent, type EventLog, type LogBatch } from '@refledger/event-log';
import { openSecretBox } from '@refledger/sealing';
import { unreadableEndpoints } from './secrets-key-check.js';

/** Test double: a log of these events that can only be read from the start. */
const logOf = (...events: WebhookEndpointsEvent[]): Pick<EventLog, 'readAll'> => ({
  async *readAll(): AsyncIterable<LogBatch> {
    await Promise.resolve();
    yield {
      events: events.map((event, revision) => ({
        ...encodeEvent(event, `e${revision}`, {
          account_id: 'acct_1',
          actor: 'k',
          request_id: 'r',
          recorded_at: '',
        }),
        stream: streams.webhooks('acct_1'),
        revision,
        position: '1' as Position,
      })),
      through: '1' as Position,
    };
  },
});

const [old, present] = [openSecretBox([randomBytes(32)]), openSecretBox([randomBytes(32)])];
const endpoint_id = newId('endpoint');
const fields = (secret: string): EndpointFields => ({
  target_url: 'https://a.example/',
  target_key: 'https://a.example/',
  events: ['conversion.created'],
  description: null,
  secret,
  payload: 'full',
  max_per_second: null,
});
const subscribed: WebhookEndpointsEvent = {
  type: 'webhook.subscribed',
  data: { endpoint_id, fields: fields(old.seal('an old secret')) },
};

it('finds an endpoint in use that is sealed under another key', async () => {
  expect([...(await unreadableEndpoints(logOf(subscribed), present))]).toEqual([endpoint_id]);
});

it.each([
  ['a key that opens it', old, []],
  [
    'an endpoint that was unsubscribed',
    present,
    [{ type: 'webhook.unsubscribed', data: { endpoint_id } }],
  ],
  [
    'a secret that was rotated',
    present,
    [
      {
        type: 'webhook.secret_rotated',
        data: {
          endpoint_id,
          secret: present.seal('a current secret'),
          previous: { secret: old.seal('an old secret'), signs_until: '2026-01-02T00:00:00.000Z' },
        },
      },
    ],
  ],
  [
    'a secret that was replaced',
    present,
    [
      {
        type: 'webhook.updated',
        data: {
          endpoint_id,
          fields: fields(present.seal('a current secret')),
          status: 'enabled',
        },
      },
    ],
  ],
] as [string, typeof old, WebhookEndpointsEvent[]][])('accepts %s', async (_what, box, later) => {
  expect((await unreadableEndpoints(logOf(subscribed, ...later), box)).size).toBe(0);
});

it('ignores an event that it cannot read', async () => {
  const fromTheFuture = {
    type: 'webhook.of-the-future',
    data: {},
  } as unknown as WebhookEndpointsEvent;
  expect((await unreadableEndpoints(logOf(subscribed, fromTheFuture), old)).size).toBe(0);
});
