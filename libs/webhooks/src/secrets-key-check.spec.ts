import { randomBytes } from 'node:crypto';
import { newId, streams, type EndpointFields, type Position, type WebhookEndpointsEvent } from '@refledger/contracts';
import { encodeEvent, type EventLog, type LogBatch } from '@refledger/event-log';
import { openSecretBox } from './secret-box.js';
import { requireReadableSecrets } from './secrets-key-check.js';

/** Test double: a log that holds these events and can only be read whole. */
const logOf = (...events: WebhookEndpointsEvent[]): Pick<EventLog, 'readAll'> => ({
  async *readAll(): AsyncIterable<LogBatch> {
    await Promise.resolve();
    yield {
      events: events.map((event, revision) => ({ ...encodeEvent(event, `e${revision}`, { account_id: 'a', actor: 'k', request_id: 'r', recorded_at: '' }), stream: streams.webhooks('acct_1'), revision, position: '1' as Position })),
      through: '1' as Position,
    };
  },
});

const [old, present] = [openSecretBox([randomBytes(32)]), openSecretBox([randomBytes(32)])];
const endpoint_id = newId('endpoint');
const fields = (secret: string): EndpointFields => ({ target_url: 'https://a.example/', target_key: 'https://a.example/', events: ['conversion.created'], description: null, secret });
const subscribed: WebhookEndpointsEvent = { type: 'webhook.subscribed', data: { endpoint_id, fields: fields(old.seal('a secret of old')) } };

it('refuses keys that an endpoint in use is not sealed under, without a word of the secret', async () => {
  const refusal = requireReadableSecrets(logOf(subscribed), present, 'secrets.key');
  await expect(refusal).rejects.toMatchObject({ name: 'SecretsKeyUnusable', message: expect.stringMatching(/^the secrets of 1 webhook endpoints are sealed under a key that is not in secrets\.key/) as string });
});

it.each([
  ['a key that opens it', old, []],
  ['an endpoint that is gone', present, [{ type: 'webhook.unsubscribed', data: { endpoint_id } }]],
  ['a secret that was replaced', present, [{ type: 'webhook.updated', data: { endpoint_id, fields: fields(present.seal('a secret of now')) } }]],
] as [string, typeof old, WebhookEndpointsEvent[]][])('accepts %s', async (_what, box, later) => {
  await expect(requireReadableSecrets(logOf(subscribed, ...later), box, 'secrets.key')).resolves.toBeUndefined();
});
