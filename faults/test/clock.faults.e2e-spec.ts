import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  day,
  eventually,
  expectStatus,
  MovableClock,
  startHookReceiver,
  startStandalone,
  TestAccount,
  type Delivery,
  type Entry,
  type Hook,
  type HookReceiver,
} from '@refledger/testing';
import { present } from '@refledger/testing/present';
import type { FaultInjection } from '../src/fault-injection.js';
import { run } from '../src/run.js';
import { differencesOf } from '../src/table.js';

/**
 * A service with a clock that moves, and a receiver of its webhooks. `perMinute` is how many
 * requests a key may send; 0 means any number.
 */
const startWithClock = async (perMinute: number) => {
  const directory = await mkdtemp(join(tmpdir(), 'refledger-clock-'));
  const clock = new MovableClock(join(directory, 'clock'));
  const receiver = await startHookReceiver();
  const service = await startStandalone({
    dataDir: join(directory, 'data'),
    env: {
      ...clock.env,
      WEBHOOK_RETRY_SCHEDULE: '5m,10m,30m,1h',
      RATE_LIMIT_PER_MINUTE: String(perMinute),
    },
  });
  const account = await TestAccount.open(service);
  const close = async (): Promise<void> => {
    await service.kill();
    await receiver.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { clock, receiver, service, account, close };
};

describe('a clock that jumps by a day', () => {
  let clock: MovableClock;
  let receiver: HookReceiver;
  let account: TestAccount;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ clock, receiver, account, close } = await startWithClock(60));
  });
  afterEach(() => close());

  const recordedAt = async (): Promise<number> =>
    Date.parse((await account.affiliate()).created_at) - Date.now();

  it('is used by the service for records and requests', async () => {
    await account.subscribe(receiver.url('/'), ['affiliate.created']);
    for (const shift of [-day, 0, day]) {
      await clock.moveTo(shift);
      await eventually(
        async () => expect(Math.abs((await recordedAt()) - shift) < day / 2).toBe(true),
        { intervalMs: 200 },
      );
      await receiver.waitFor('/', (hooks) =>
        hooks.some(
          ({ headers }) =>
            Math.abs(Number(headers['webhook-timestamp']) * 1_000 - Date.now() - shift) < day / 2,
        ),
      );
    }
  });

  it('does not change rate limits: a limited key is rejected until the end of its minute, not for a day', async () => {
    await clock.moveTo(day);
    const { status, retryAfter } = await eventually(
      async () => {
        const response = await account.api.get('/v1/account');
        expect(response.status).toBe(429);
        return { status: response.status, retryAfter: Number(response.header('retry-after')) };
      },
      { intervalMs: 0 },
    );
    await clock.moveTo(-day);
    const again = await account.api.get('/v1/account');
    expect([status, again.status]).toEqual([429, 429]);
    for (const seconds of [retryAfter, Number(again.header('retry-after'))])
      expect([seconds > 0, seconds <= 60]).toEqual([true, true]);
  });

  it('does not affect keys: a revoked one stays rejected, and a new one is accepted immediately', async () => {
    const { body: first } = await account.api.post<{ id: string; api_key: string }>(
      '/v1/api-keys',
      { name: 'first', scope: 'read' },
    );
    await clock.moveTo(-day);
    expect((await account.api.withKey(first.api_key).get('/v1/account')).status).toBe(200);
    expectStatus(204, await account.api.delete(`/v1/api-keys/${first.id}`));
    await clock.moveTo(day);
    expect((await account.api.withKey(first.api_key).get('/v1/account')).status).toBe(401);
    const { body: second } = await account.api.post<{ api_key: string }>('/v1/api-keys', {
      name: 'second',
      scope: 'read',
    });
    expect((await account.api.withKey(second.api_key).get('/v1/account')).status).toBe(200);
  });

  it('put back, never dates a change before the creation of its record, and leaves entries in the order of the log, or of their times', async () => {
    const [made, other] = [await account.affiliate(), await account.affiliate()];
    const creditors = async (query = {}): Promise<readonly string[]> =>
      (await account.all<Entry>('/v1/entries', query)).map(({ affiliate_id }) => affiliate_id);
    await account.adjustment(made.id);
    expect(await creditors()).toEqual([made.id]);
    // posting continues while the log is less than ten minutes ahead
    await clock.moveTo(-5 * 60_000);
    await eventually(async () => expect(await recordedAt()).toBeLessThan(-60_000), {
      intervalMs: 200,
    });
    await account.adjustment(other.id);
    expect(await creditors()).toEqual([other.id, made.id]);
    expect(await creditors({ created_after: '2020-01-01T00:00:00Z' })).toEqual([made.id, other.id]);
    await clock.moveTo(-day);
    await eventually(async () => expect(await recordedAt()).toBeLessThan(-day / 2), {
      intervalMs: 200,
    });
    const changed = await account.update(made, { name: 'Grace Hopper' });
    expect([changed.updated_at, changed.created_at]).toEqual([made.created_at, made.created_at]);
    expect((await account.update(made, { status: 'approved' })).approved_at).toBe(made.created_at);
  });

  it('leaves lists complete, each record once, whatever their times', async () => {
    const ids: string[] = [];
    for (const shift of [0, -day, day, -day / 2, 0]) {
      await clock.moveTo(shift);
      for (let n = 0; n < 4; n++) ids.push((await account.affiliate()).id);
    }
    const newest = await account.all<{ id: string; created_at: string }>('/v1/affiliates', {
      limit: 3,
    });
    const oldest = await account.all<{ id: string }>('/v1/affiliates', {
      limit: 3,
      sort: 'created_at',
    });
    expect(newest.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(oldest.map(({ id }) => id)).toEqual(newest.map(({ id }) => id).toReversed());
    expect(newest.map(({ created_at }) => created_at)).toEqual(
      newest
        .map(({ created_at }) => created_at)
        .toSorted()
        .toReversed(),
    );
  });
});

it('a waiting retry and later ones are on time although the clock jumps, with and without a kill', async () => {
  const jump = async ([shift, isKilled]: readonly [number, boolean]): Promise<void> => {
    const { clock, receiver, service, account, close } = await startWithClock(0);
    try {
      receiver.script('/', (_hook, attempt) => ({ status: attempt <= 2 ? 500 : 200 }));
      const endpoint = await account.subscribe(receiver.url('/'), ['affiliate.created']);
      const deliveries = `/v1/webhooks/${endpoint.id}/deliveries`;
      const { id } = await account.affiliate();
      await eventually(async () =>
        expect(await account.all(deliveries)).toMatchObject([
          { status: 'waiting', attempt_count: 1 },
        ]),
      );
      const hooksOf = (affiliateId: string): readonly Hook[] =>
        receiver.hooks('/').filter(({ envelope }) => envelope.data.id === affiliateId);
      /**
       * Lets time pass until the third attempt arrives: to a retry within the hour, or some
       * seconds.
       */
      const pass = (affiliateId: string): Promise<void> =>
        eventually(async () => {
          if (hooksOf(affiliateId).length === 3) return;
          const waits = (await account.all<Delivery>(deliveries, { object_id: affiliateId })).map(
            ({ next_attempt_at }) => Date.parse(next_attempt_at ?? '') - clock.now(),
          );
          const next = waits.find((ms) => ms > 0 && ms < 60 * 60_000);
          await clock.pass(next ?? 5_000);
          throw new Error(`no third attempt; retries are due in ${waits.join(', ')} ms`);
        });
      await clock.moveTo(shift);
      if (isKilled) await service.restart('SIGKILL');
      await pass(id);
      await clock.moveTo(0);
      const later = await account.affiliate();
      await pass(later.id);
      expect(hooksOf(id)).toHaveLength(3);
    } finally {
      await close();
    }
  };
  for (const shift of [-day, day])
    for (const isKilled of [false, true]) await jump([shift, isKilled]);
});

it('under load with a clock that jumps by a day, back and forward, and kills in between: everything agrees with the ledger', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'refledger-clock-'));
  try {
    const injections: readonly FaultInjection[] = [
      ...[-day, 0, day, 0].map((toMs) => ({ kind: 'clock moved', afterMs: 600, toMs }) as const),
      { kind: 'killed under load', afterMs: 600 },
      { kind: 'clock moved', afterMs: 100, toMs: -day },
      { kind: 'killed under load', afterMs: 100 },
      { kind: 'clock moved', afterMs: 600, toMs: -2 * day },
      // posting waits until its clock has reached every event
      { kind: 'clock moved', afterMs: 100, toMs: day },
    ];
    const { comparisons } = await run({
      rounds: injections.length,
      seed: 1,
      directory,
      clock: new MovableClock(join(directory, 'clock')),
      compareEach: false,
      drawFaultInjection: (_random, round) => present(injections[round - 1]),
    });
    expect(differencesOf(comparisons)).toEqual([]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
