import { publicEventTypes } from '@refledger/contracts';
import {
  eventually,
  expectStatus,
  type Delivery,
  type Endpoint,
  type Replay,
} from '@refledger/testing';
import type { Recording } from './recording.js';

/** Endpoints that get everything from now on. */
export interface WrittenEndpoints {
  readonly steady: Endpoint;
  readonly flaky: Endpoint;
}

/** The settings of the webhook-dispatcher: five attempts in a moment, and others after hours. */
export const retrySchedule = '50ms,50ms,50ms,50ms,2h,2h,24h';

const hourMs = 3_600_000;

/** Subscribes the endpoints, before the events that they get. */
export const writeEndpoints = async ({
  account,
  receiver,
}: Recording): Promise<WrittenEndpoints> => {
  const all = [...publicEventTypes];
  receiver.script('/steady', () => ({ status: 200, body: 'thank you' }));
  receiver.script('/flaky', (_hook, attempt) => ({ status: attempt > 6 ? 200 : 500 }));
  const over = { description: 'The shop', max_per_second: 1_000 };
  const steady = await account.subscribe(receiver.url('/steady'), all, over);
  const thin = await account.subscribe(receiver.url('/thin'), ['conversion.*'], {
    payload: 'thin',
  });
  expectStatus(200, await account.api.patch(`/v1/webhooks/${thin.id}`, { description: 'Thin' }));
  const rotate = `/v1/webhooks/${steady.id}/rotate-secret`;
  expectStatus(200, await account.api.post(rotate, { overlap: '168h' }));
  const flaky = await account.subscribe(receiver.url('/flaky'), ['program.*']);
  const gone = await account.subscribe(receiver.url('/unwanted'), ['payout.*']);
  expectStatus(204, await account.api.delete(`/v1/webhooks/${gone.id}`));
  return { steady, flaky };
};

/** A paused endpoint with held deliveries, a gone one, a failing one that recovers, and replays. */
export const writeDeliveries = async (
  recording: Recording,
  { steady, flaky }: WrittenEndpoints,
): Promise<void> => {
  const { account, receiver } = recording;
  await becomes(recording, flaky, 'failing');
  await becomes(recording, flaky, 'ok');
  receiver.script('/gone', () => ({ status: 410 }));
  const gone = await account.subscribe(receiver.url('/gone'), ['program.created']);
  const paused = await account.subscribe(receiver.url('/paused'), ['program.*', 'adjustment.*']);
  await setStatus(recording, paused, 'paused');
  await account.program({ id: 'prog_autumn', name: 'Autumn' });
  await eventually(async () => {
    const { body } = await account.api.get<Endpoint>(`/v1/webhooks/${gone.id}`);
    if (body.status !== 'disabled') throw new Error('the endpoint is not disabled yet');
  });
  await setStatus(recording, paused, 'enabled');
  await setStatus(recording, paused, 'paused');
  receiver.script('/down', () => ({ status: 503, body: 'Down for maintenance' }));
  await account.subscribe(receiver.url('/down'), ['program.updated']);
  const winter = await account.program({ id: 'prog_winter', name: 'Winter' });
  await account.update(winter, { name: 'Winter sale' });
  await writeReplays(recording, steady);
};

/** Lets hours pass, with the attempts that are due then, until an endpoint has this health. */
const becomes = async (
  { account, clock }: Recording,
  { id }: Endpoint,
  health: string,
): Promise<void> => {
  await eventually(
    async () => {
      const { body } = await account.api.get<Endpoint>(`/v1/webhooks/${id}`);
      if (body.health === health) return;
      const { data } = (await waitingFor(account, id)).body;
      if (data.some(({ attempt_count }) => attempt_count >= 5)) await clock.pass(hourMs / 2);
      throw new Error(`${id} is ${body.health}`);
    },
    { timeoutMs: 60_000, intervalMs: 100 },
  );
};

const waitingFor = ({ api }: Recording['account'], id: string) =>
  api.get<{ readonly data: readonly Delivery[] }>(`/v1/webhooks/${id}/deliveries?status=waiting`);

const setStatus = async ({ account }: Recording, { id }: Endpoint, status: string): Promise<void> =>
  void expectStatus(200, await account.api.patch(`/v1/webhooks/${id}`, { status }));

const writeReplays = async ({ account }: Recording, { id }: Endpoint): Promise<void> => {
  const path = `/v1/webhooks/${id}/replays`;
  const body = { since: '0', types: ['program.created'], only: 'all' };
  const replay = expectStatus(202, await account.api.post<Replay>(path, body));
  await eventually(async () => {
    const { body: found } = await account.api.get<Replay>(`${path}/${replay.id}`);
    if (found.status === 'running' || found.planned > found.succeeded + found.failed)
      throw new Error('the replay is still running');
  });
  const [delivery] = (
    await account.api.get<{ data: readonly Delivery[] }>(`/v1/webhooks/${id}/deliveries`)
  ).body.data;
  const one = `/v1/webhooks/${id}/deliveries/${delivery?.id}`;
  expectStatus(202, await account.api.post(`${one}/redeliver`, undefined));
  expectStatus(200, await account.api.post(`/v1/webhooks/${id}/test`, undefined));
};
