import { recordKinds } from '../record-kinds.js';
import { secretOf } from '../receivers.js';
import type { WriteAction, Writing } from './act.js';

const everything: readonly string[] = recordKinds;

/** Endpoints that come and go. The others stay for the whole run. */
const fleeting = ['/fleeting-1', '/fleeting-2', '/fleeting-3'];

/** Subscribes the receiver at this path, or changes the event kinds of its endpoint. */
export const subscribeTo = async (
  { client, receiver }: Writing,
  path: string,
  events: readonly string[] = everything,
) =>
  (
    await client.send({
      what: 'endpoint.subscribe',
      method: 'POST',
      path: '/v1/webhooks/subscribe',
      body: { target_url: receiver(path), events, secret: secretOf(path) },
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

/** Changes the event kinds of an endpoint that exists for the whole run. */
export const changeSubscription: WriteAction = async (writing) => {
  const kinds = someKinds(writing);
  return subscribeTo(writing, '/restless', kinds.length > 0 ? kinds : everything);
};
