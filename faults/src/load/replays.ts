import type { Delivery, Page } from '@refledger/testing';
import { recordKinds } from '../record-kinds.js';
import type { WriteAction, Writing } from './act.js';
import { subscribeTo } from './endpoints.js';

/** Endpoints that get earlier events through replays. They exist until the end of the run. */
const late = ['/late-1', '/late-2', '/late-3'];

const subscribeLate = async (writing: Writing, path: string): Promise<string | undefined> => {
  const subscribed = await subscribeTo(writing, path, recordKinds, { max_per_second: 1_000 });
  if (subscribed.report !== 'acknowledged') return undefined;
  return subscribed.record?.object === 'webhook_endpoint' ? subscribed.record.id : undefined;
};

/**
 * The kinds to replay: without the adjustments, of which there are a thousand before the first
 * round.
 */
const types = recordKinds.filter((kind) => !kind.startsWith('adjustment.'));

/** Subscribes an endpoint, and replays to it what has happened so far. */
export const replayToLate = async (
  writing: Writing,
  path: string,
  body: Readonly<Record<string, unknown>> = { types },
): ReturnType<WriteAction> => {
  const { client, random } = writing;
  const id = await subscribeLate(writing, path);
  if (id === undefined) return undefined;
  return (
    await client.send({
      what: 'replay.create',
      method: 'POST',
      path: `/v1/webhooks/${id}/replays`,
      body: { since: '0', ...body },
      key: `replay-${random.intBelow(1e9)}`,
    })
  ).outcome;
};

/** Replays to a late endpoint: what it has missed, what has failed, or all events of one kind. */
export const replay: WriteAction = (writing) => {
  const { random } = writing;
  const body = random.pick([
    { types },
    { only: 'failed' },
    { only: 'all', types: ['affiliate.created'] },
  ]);
  return replayToLate(writing, random.pick(late) ?? '', body);
};

/** Sends a delivery to a late endpoint again. */
export const redeliver: WriteAction = async (writing) => {
  const { client, random } = writing;
  const id = await subscribeLate(writing, random.pick(late) ?? '');
  if (id === undefined) return undefined;
  const path = `/v1/webhooks/${id}/deliveries`;
  // a read that a kill interrupts is not a write of unknown outcome
  const page = await client.get<Page<Delivery>>(`${path}?limit=100`).catch(() => undefined);
  const one = page?.status === 200 ? random.pick(page.body.data) : undefined;
  if (one === undefined) return undefined;
  return (
    await client.send({
      what: 'delivery.redeliver',
      method: 'POST',
      path: `${path}/${one.id}/redeliver`,
      key: `redelivery-${random.intBelow(1e9)}`,
    })
  ).outcome;
};
