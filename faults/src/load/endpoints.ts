import { recordKinds } from '../record-kinds.js';
import { secretOf } from '../receivers.js';
import type { WriteAction, Writing } from './act.js';

const everything: readonly string[] = recordKinds;

/** Endpoints that come and go. The others stay for the whole run. */
const fleeting = ['/fleeting-1', '/fleeting-2', '/fleeting-3'];

/** Subscribes the receiver at this path, or changes the event types of its endpoint. */
export const subscribeTo = async (
  { client, receiver }: Writing,
  path: string,
  events: readonly string[] = everything,
  more: Readonly<Record<string, unknown>> = {},
) =>
  (
    await client.send({
      what: 'endpoint.subscribe',
      method: 'POST',
      path: '/v1/webhooks/subscribe',
      body: { target_url: receiver(path), events, secret: secretOf(path), ...more },
    })
  ).outcome;

const someKinds = ({ random }: Writing): string[] =>
  everything.filter((kind, index) =>
    index === 5 || kind === 'conversion.approved' ? random.is(0.8) : random.is(0.4),
  );

export const subscribe: WriteAction = async (writing) => {
  const kinds = someKinds(writing);
  return subscribeTo(
    writing,
    writing.random.pick(fleeting) ?? '',
    kinds.length > 0 ? kinds : everything,
  );
};

export const unsubscribe: WriteAction = async ({ client, random, receiver }) =>
  (
    await client.send({
      what: 'endpoint.unsubscribe',
      method: 'DELETE',
      path: `/v1/webhooks/subscribe?target_url=${encodeURIComponent(receiver(random.pick(fleeting) ?? ''))}`,
    })
  ).outcome;

/** An endpoint that exists for the whole run, and whose event types and status change. */
export const restless = '/restless';

export const changeSubscription: WriteAction = async (writing) => {
  const kinds = someKinds(writing);
  return subscribeTo(writing, restless, kinds.length > 0 ? kinds : everything);
};

/** Pauses the endpoint or enables it, sometimes without what it has held. */
export const changeStatus: WriteAction = async (writing) => {
  const drops = writing.random.is(0.3) ? { held: 'drop' } : {};
  const change = writing.random.is(0.5) ? { status: 'paused' } : { status: 'enabled', ...drops };
  return setStatus(writing, change);
};

/** Enables the endpoint, so that it gets everything. */
export const enableRestless: WriteAction = (writing) => setStatus(writing, { status: 'enabled' });

const setStatus = async (
  writing: Writing,
  body: Readonly<Record<string, unknown>>,
): ReturnType<WriteAction> => {
  const subscribed = await changeSubscription(writing);
  if (subscribed?.report !== 'acknowledged' || subscribed.record?.object !== 'webhook_endpoint')
    return subscribed;
  const path = `/v1/webhooks/${subscribed.record.id}`;
  return (await writing.client.send({ what: 'endpoint.update', method: 'PATCH', path, body }))
    .outcome;
};
