import {
  derivedId,
  newId,
  toPosition,
  type AccountId,
  type CreateReplay,
  type EndpointId,
  type EventPattern,
  type Position,
} from '@refledger/contracts';
import type { Replay, ReplayQuery, RequestedReplay, RequestStore } from '@refledger/delivery-store';
import { present } from '@refledger/testing/present';
import { replayRecord } from './replay-records.js';
import { Replays, type ReplaysParts } from './replays.js';

const accountId = derivedId('account', 'a');
const endpointId = derivedId('endpoint', 'one');
const position = (n: number): Position => present(toPosition(String(n)));

interface Given {
  readonly events?: readonly EventPattern[];
  readonly disabled?: { readonly reason: 'gone' | 'failing' };
  /** Whether all requests come within the same millisecond. */
  readonly atOnce?: boolean;
}

/** Replays over a store in memory. Every request is a second later than the one before. */
const replaysWith = ({ events = ['conversion.created'], disabled, atOnce = false }: Given = {}) => {
  const stored: Replay[] = [];
  let clock = 0;
  const store: Pick<RequestStore, 'beginReplay' | 'stopReplay'> = {
    beginReplay: (requested) => {
      const there =
        stored.find(({ id }) => id === requested.id) ??
        stored.find((of) => of.endpointId === requested.endpointId && of.status === 'running');
      if (there !== undefined) return Promise.resolve({ replay: there, isNew: false });
      stored.push(begun(requested));
      return Promise.resolve({ replay: present(stored.at(-1)), isNew: true });
    },
    stopReplay: (id) => {
      const index = stored.findIndex((replay) => replay.id === id);
      stored[index] = { ...present(stored[index]), status: 'stopped' };
      return Promise.resolve();
    },
  };
  const reader = {
    replay: (id: string) => Promise.resolve(stored.find((replay) => replay.id === id)),
    replays: ({ limit }: ReplayQuery) => Promise.resolve(stored.slice(0, limit)),
  };
  const parts = {
    deliveries: { read: (work) => work(reader as never), write: (work) => work(store as never) },
    endpoints: {
      get: () =>
        Promise.resolve({
          endpoint: { fields: { events }, disabled: disabled ?? null },
          position: position(30),
        } as never),
    },
    commands: { instant: () => new Date(atOnce ? 0 : clock++ * 1_000).toISOString() },
    times: { positionAt: () => Promise.resolve(undefined) },
    consistency: {
      logId: 'log-1',
      readHead: () => Promise.resolve(position(40)),
      settleLog: () => Promise.resolve(),
    },
  } satisfies ReplaysParts;
  return { replays: new Replays(parts), stored };
};

const begun = (requested: RequestedReplay): Replay => ({
  ...requested,
  status: 'running',
  at: requested.since,
  planned: 0,
  succeeded: 0,
  failed: 0,
  isSettled: false,
  finishedAt: null,
});

const readOf = (accountId: AccountId, id: EndpointId) => ({
  id,
  caller: { accountId, keyId: newId('key') },
  minPosition: undefined,
});
interface Of {
  readonly key?: string;
  readonly account?: AccountId;
  readonly id?: EndpointId;
}
const call = (body: object, { key, account = accountId, id = endpointId }: Of = {}) => ({
  ...readOf(account, id),
  // the cast holds: every test sends the rest
  body: { only: 'missing', ...body } as CreateReplay,
  idempotencyKey: key,
});
const of = (replay: Pick<Replay, 'id'>, { account = accountId, id = endpointId }: Of = {}) => ({
  ...readOf(account, id),
  ids: { replay_id: replay.id },
});

it('starts with what was asked for, and records how far the endpoint and the log are known', async () => {
  const { replays, stored } = replaysWith();
  const { replay, isRepeated } = await replays.begin(
    call({ since: '7', types: ['conversion.created', 'conversion.created'], only: 'all' }),
  );
  expect(isRepeated).toBe(false);
  expect(stored.map(replayRecord)).toEqual([replay]);
  expect(stored[0]).toMatchObject({
    accountId,
    endpointId,
    logId: 'log-1',
    since: '7',
    until: '40',
    types: ['conversion.created'],
    only: 'all',
    decidedAt: '30',
  });
});

it('names the replay that is still running, and starts another once that has ended', async () => {
  const { replays } = replaysWith();
  const { replay } = await replays.begin(call({ since: '7' }));
  await expect(replays.begin(call({ since: '7' }))).rejects.toMatchObject({
    code: 'replay_in_progress',
    extras: { replay_id: replay.id },
  });
  await replays.stop(of(replay));
  expect((await replays.begin(call({ since: '7' }))).replay.id).not.toBe(replay.id);
});

describe('with a key', () => {
  const asked = { since: '7', until: '20', types: ['conversion.created'] };
  const key = 'k';

  it('finds what the first request started, whatever has changed since', async () => {
    const { replays, stored } = replaysWith();
    const first = await replays.begin(call(asked, { key }));
    await replays.stop(of(first.replay));
    const changed = replaysWith({ events: ['affiliate.created'], disabled: { reason: 'gone' } });
    changed.stored.push(...stored);
    const again = await changed.replays.begin(call(asked, { key }));
    expect(again).toMatchObject({ isRepeated: true, replay: { id: first.replay.id } });
    expect(again.replay.status).toBe('stopped');
  });

  it('treats a request without until as the same one, wherever the log ended', async () => {
    const { replays } = replaysWith();
    const first = await replays.begin(call(asked, { key }));
    const { until: _, ...openEnded } = asked;
    const again = await replays.begin(call(openEnded, { key }));
    expect(again).toEqual({ replay: first.replay, isRepeated: true });
  });

  it.each([{ since: '8' }, { until: '21' }, { types: undefined }, { only: 'all' }])(
    'refuses another request: %j',
    async (other) => {
      const { replays } = replaysWith();
      await replays.begin(call(asked, { key }));
      await expect(replays.begin(call({ ...asked, ...other }, { key }))).rejects.toMatchObject({
        code: 'idempotency_key_reused',
      });
    },
  );

  it('refuses the same request for another endpoint, also if both come at once', async () => {
    const other = newId('endpoint');
    const { replays, stored } = replaysWith();
    const first = await replays.begin(call(asked, { key }));
    const refused = { code: 'idempotency_key_reused' };
    await expect(replays.begin(call(asked, { key, id: other }))).rejects.toMatchObject(refused);
    await replays.stop(of(first.replay));
    await expect(replays.begin(call(asked, { key, id: other }))).rejects.toMatchObject(refused);
    const both = [call(asked, { key: 'k2' }), call(asked, { key: 'k2', id: other })];
    const results = await Promise.allSettled(both.map((one) => replays.begin(one)));
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused });
    expect(stored).toHaveLength(2);
  });

  it('means another replay in another account', async () => {
    const { replays } = replaysWith();
    const first = await replays.begin(call(asked, { key }));
    await replays.stop(of(first.replay));
    const stranger = await replays.begin(call(asked, { key, account: newId('account') }));
    expect(stranger.replay.id).not.toBe(first.replay.id);
  });
});

it('refuses types that the endpoint does not subscribe to, naming each by its path', async () => {
  const { replays, stored } = replaysWith();
  const types = ['conversion.created', 'conversion.paid'];
  await expect(replays.begin(call({ since: '7', types }))).rejects.toMatchObject({
    code: 'validation_failed',
    extras: { errors: [{ path: '/types/1', code: 'not_one_of' }] },
  });
  expect(stored).toEqual([]);
});

it('accepts types that a pattern of the endpoint matches', async () => {
  const { replays } = replaysWith({ events: ['payout.*', 'affiliate.created'] });
  const types = ['payout.failed', 'affiliate.created'];
  expect((await replays.begin(call({ since: '7', types }))).replay.types).toEqual(types);
  const other = call({ since: '7', types: ['payout_run.started'] });
  await expect(replays.begin(other)).rejects.toMatchObject({
    extras: {
      errors: [
        {
          path: '/types/0',
          message: expect.stringMatching(
            /of: affiliate.created, payout.created, .*payout.updated/,
          ) as string,
        },
      ],
    },
  });
});

it.each([
  ['gone', 'invalid_transition'],
  ['failing', undefined],
] as const)('a replay to an endpoint that is disabled as %s: %s', async (reason, code) => {
  const { replays } = replaysWith({ disabled: { reason } });
  const error = await replays.begin(call({ since: '7' })).then(
    () => undefined,
    (thrown: unknown) => thrown as { code: string },
  );
  expect(error?.code).toBe(code);
});

it('shows and stops only the replays of the endpoint and the account', async () => {
  const { replays } = replaysWith();
  const { replay } = await replays.begin(call({ since: '7' }));
  expect(await replays.get(of(replay))).toEqual(replay);
  const others = [
    of({ id: newId('replay') }),
    of(replay, { id: newId('endpoint') }),
    of(replay, { account: newId('account') }),
  ];
  for (const other of others) {
    await expect(replays.get(other)).rejects.toMatchObject({ code: 'not_found' });
    await expect(replays.stop(other)).rejects.toMatchObject({ code: 'not_found' });
  }
  expect((await replays.get(of(replay))).status).toBe('running');
  await replays.stop(of(replay));
  await replays.stop(of(replay));
  expect((await replays.get(of(replay))).status).toBe('stopped');
});

it('lists a page, and where the next one begins', async () => {
  const { replays, stored } = replaysWith();
  for (const since of ['7', '8', '9'])
    await replays.stop(of((await replays.begin(call({ since }))).replay));
  const query = { endpointId, descending: false, after: undefined };
  const list = (limit: number) => replays.list(readOf(accountId, endpointId), { ...query, limit });
  const all = stored.map(replayRecord);
  const second = present(stored[1]);
  expect(await list(2)).toEqual({
    records: all.slice(0, 2),
    next: [second.createdAt, second.id],
  });
  expect(await list(3)).toEqual({ records: all, next: undefined });
});

it('of requests with one key within the same millisecond, one starts the replay', async () => {
  const { replays, stored } = replaysWith({ atOnce: true });
  const all = await Promise.all(
    Array.from({ length: 20 }, () => replays.begin(call({ since: '5' }, { key: 'k' }))),
  );
  expect(all.filter(({ isRepeated }) => !isRepeated)).toHaveLength(1);
  expect(stored).toHaveLength(1);
});
