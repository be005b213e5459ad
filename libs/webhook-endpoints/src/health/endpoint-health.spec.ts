import {
  derivedId,
  newId,
  toInstant,
  type AttemptOutcome,
  type EndpointId,
  type Position,
} from '@refledger/contracts';
import type { WebhookEndpointsCommand } from '@refledger/domain';
import { endpointVersion } from '../testing/endpoint-version.js';
import { ManualClock } from '../testing/manual-clock.js';
import type { FailingSeries } from '@refledger/delivery-store';
import { EndpointHealth, type EndpointHealthOptions } from './endpoint-health.js';
import type { EndpointVersion } from '../directory/endpoint-version.js';

const endpointId = newId('endpoint');
const accountId = derivedId('account', '1');
const hourMs = 3_600_000;

let clock: ManualClock;
let kept: Map<EndpointId, FailingSeries>;
let latest: EndpointVersion | undefined;
/** Whether another dispatcher has succeeded meanwhile. */
let succeededElsewhere: boolean;
let did: string[];
let logged: string[];
let health: EndpointHealth;
beforeEach(() => {
  clock = new ManualClock();
  kept = new Map();
  [did, logged] = [[], []];
  succeededElsewhere = false;
  latest = endpointVersion();
  health = given();
});

const given = (options: Partial<EndpointHealthOptions> = {}): EndpointHealth => {
  const log = (level: string) => (_about: object, message: string) =>
    void logged.push(`${level} ${message}`);
  return new EndpointHealth({
    // keeps series in memory, and knows no deliveries
    store: {
      series: (endpoint) => Promise.resolve(kept.get(endpoint)),
      keepSeries: (endpoint, series) => Promise.resolve(void kept.set(endpoint, series)),
      endSeries: (endpoint) => Promise.resolve(void kept.delete(endpoint)),
      endpointsInSeries: () => Promise.resolve([...kept.keys()]),
      succeededSince: () => Promise.resolve(succeededElsewhere),
    },
    directory: { latest: () => latest },
    tracker: { followTo: () => Promise.resolve() },
    commands: {
      // the cast holds: health sends its commands as values, and uses no outcome
      run: (({ command }: { command: WebhookEndpointsCommand }) => {
        const { type, version } = command as { type: string; version: number };
        did.push(`${type} version ${version}`);
        if (type === 'fail' && latest) latest = { ...latest, health: 'failing' };
        if (type === 'recover' && latest) latest = { ...latest, health: 'ok' };
        if (type === 'disable' && latest)
          latest = { ...latest, status: 'disabled', disabled: 'failing' };
        return Promise.resolve();
      }) as unknown as EndpointHealthOptions['commands']['run'],
    },
    disableAfterMs: 60 * hourMs,
    clock,
    logger: { info: log('info'), warn: log('warn') },
    logRetry: (what, error) => {
      throw new Error(what, { cause: error });
    },
    ...options,
  });
};
const attempt = (outcome: AttemptOutcome, of = health): Promise<void> =>
  of.record({
    endpointId,
    accountId,
    attempt: { outcome, status: 500, error: null, finishedAt: toInstant(clock.now()) },
  });
const fails = async (times: number, everyMs: number): Promise<void> => {
  for (let n = 0; n < times; n++) {
    await attempt('bad_status');
    clock.advance(everyMs);
  }
};

it('an endpoint is failing after an hour and five failed attempts, once', async () => {
  await fails(5, hourMs / 4);
  // the fifth ended exactly an hour after the first
  expect(did).toEqual(['fail version 3']);
  await fails(20, hourMs / 4);
  expect(did).toHaveLength(1);
});

it.each([
  ['five attempts in less than an hour', 5, hourMs / 5],
  ['four attempts, however long they take', 4, 40 * hourMs],
])('is not failing after %s', async (_, times, everyMs) => {
  await fails(times, everyMs);
  expect(did).toEqual([]);
});

it('is disabled by the first failed attempt after that long, not by the clock', async () => {
  await fails(6, 11 * hourMs);
  expect(did).toEqual(['fail version 3']);
  clock.advance(100 * hourMs);
  expect(did).toHaveLength(1);
  await fails(1, 0);
  expect(did).toEqual(['fail version 3', 'disable version 3']);
  // an attempt that was in flight changes nothing
  await fails(1, 0);
  expect(did).toHaveLength(2);
});

it('is never disabled if that is turned off', async () => {
  health = given({ disableAfterMs: 0 });
  await fails(20, 20 * hourMs);
  expect(did).toEqual(['fail version 3']);
});

it('a success ends the series, and recovers an endpoint that was failing', async () => {
  await fails(4, hourMs);
  await attempt('succeeded');
  expect([did, kept.size]).toEqual([[], 0]);
  await fails(5, hourMs);
  expect(did).toEqual(['fail version 3']);
  await attempt('succeeded');
  await attempt('succeeded');
  expect(did).toEqual(['fail version 3', 'recover version 3']);
});

it('keeps few failed attempts in memory while the store does not answer', async () => {
  let reads = 0;
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  health = given({
    store: {
      series: async (endpoint) => {
        reads++;
        await answered;
        return kept.get(endpoint);
      },
      keepSeries: (endpoint, series) => Promise.resolve(void kept.set(endpoint, series)),
      endSeries: () => Promise.resolve(),
      endpointsInSeries: () => Promise.resolve([]),
      succeededSince: () => Promise.resolve(false),
    },
  });
  const all = Array.from({ length: 100 }, () => attempt('timeout'));
  answer();
  await Promise.all(all);
  expect(reads).toBe(5);
  expect(kept.get(endpointId)).toMatchObject({ failures: 5 });
});

it('learns from the store once every ten seconds, however often it is halted and started again', async () => {
  let reads = 0;
  health = given({
    store: {
      series: () => Promise.resolve(undefined),
      keepSeries: () => Promise.resolve(),
      endSeries: () => Promise.resolve(),
      endpointsInSeries: () => Promise.resolve((reads++, [])),
      succeededSince: () => Promise.resolve(false),
    },
  });
  for (let n = 0; n < 3; n++) {
    health.start();
    health.halt();
  }
  health.start();
  await new Promise(setImmediate);
  expect([reads, clock.waiting]).toEqual([4, 1]);
});

it('an unknown outcome says nothing', async () => {
  for (let n = 0; n < 10; n++) {
    await attempt('unknown');
    clock.advance(hourMs);
  }
  expect([did, kept.size]).toEqual([[], 0]);
});

it('a failure that ended before the last success starts no series', async () => {
  await fails(1, 0);
  const earlier = { outcome: 'timeout', status: null, error: 'x' } as const;
  const finishedAt = toInstant(clock.now());
  clock.advance(1_000);
  await attempt('succeeded');
  await health.record({ endpointId, accountId, attempt: { ...earlier, finishedAt } });
  expect(kept.size).toBe(0);
});

it.each<AttemptOutcome>(['bad_status', 'succeeded'])(
  'is failing after an hour, although a clock was 40 days ahead at an attempt that ended with %s',
  async (outcome) => {
    clock.advance(40 * 24 * hourMs);
    await fails(1, 0);
    await attempt(outcome);
    clock.advance(-40 * 24 * hourMs);
    const since = toInstant(clock.now());
    await fails(5, hourMs / 4);
    expect(did).toEqual(['fail version 3']);
    expect(kept.get(endpointId)).toMatchObject({ since });
    await fails(7, 11 * hourMs);
    expect(did).toEqual(['fail version 3', 'disable version 3']);
  },
);

it('a series continues in another dispatcher, and after a restart', async () => {
  await fails(3, hourMs);
  health = given();
  await fails(2, hourMs);
  expect(did).toEqual(['fail version 3']);
  const since = kept.get(endpointId)?.since;
  expect(since).toBe(toInstant(clock.now() - 5 * hourMs));
});

it('starts after the success of another dispatcher', async () => {
  succeededElsewhere = true;
  await fails(5, hourMs);
  expect(did).toEqual([]);
  expect(kept.get(endpointId)).toMatchObject({
    since: toInstant(clock.now() - hourMs),
    failures: 1,
  });
});

it('starts again with a version that restarts it, such as a new target', async () => {
  await fails(4, hourMs);
  latest = endpointVersion({ seriesFrom: '9' as Position, revision: 4 });
  await fails(4, hourMs);
  expect(did).toEqual([]);
  await fails(1, 0);
  expect(did).toEqual(['fail version 4']);
});

it('ends when the status is changed, and does not start while the endpoint is not enabled', async () => {
  await fails(1, 0);
  latest = endpointVersion({ status: 'paused', seriesFrom: '9' as Position });
  health.restart(endpointId);
  await fails(1, 0);
  expect(kept.size).toBe(0);
});

it('does not end with an earlier change that reaches this dispatcher late', async () => {
  await fails(1, 0);
  const begun = { from: '9' as Position, since: toInstant(clock.now()), failures: 2 };
  kept.set(endpointId, begun);
  latest = endpointVersion({ seriesFrom: '9' as Position });
  health.restart(endpointId);
  await attempt('unknown');
  await fails(1, 0);
  expect(kept.get(endpointId)).toEqual({ ...begun, failures: 3 });
});

it('learns of series from the store, and ends those from before a change', async () => {
  kept.set(endpointId, { from: '5' as Position, since: toInstant(clock.now()), failures: 2 });
  const other = newId('endpoint');
  kept.set(other, { from: '4' as Position, since: toInstant(clock.now()), failures: 2 });
  health.start();
  while (clock.waiting === 0) await new Promise(setImmediate);
  health.halt();
  expect([...kept.keys()]).toEqual([endpointId]);
  clock.advance(1);
  await attempt('succeeded');
  expect(kept.size).toBe(0);
});

it('logs once that attempts fail, and once that they succeed again', async () => {
  for (const outcome of [
    'succeeded',
    'bad_status',
    'unknown',
    'redirect',
    'succeeded',
    'succeeded',
  ] as const) {
    clock.advance(1_000);
    await attempt(outcome);
  }
  expect(logged).toEqual([
    `warn webhooks to ${endpointId} are failing: the response was 500`,
    `info webhooks to ${endpointId} are succeeding again`,
  ]);
});

it('disables the endpoint before a delivery is given up, but only once that is due', async () => {
  const last = () =>
    health.disableIfDue({
      endpointId,
      accountId,
      attempt: {
        outcome: 'timeout',
        status: null,
        error: 'late',
        finishedAt: toInstant(clock.now()),
      },
    });
  await fails(4, 14 * hourMs);
  await last();
  expect(did).toEqual([]);
  clock.advance(5 * hourMs);
  succeededElsewhere = true;
  await last();
  expect(did).toEqual([]);
  expect(kept.get(endpointId)?.failures).toBe(1);
  succeededElsewhere = false;
  await fails(5, 15 * hourMs);
  await last();
  expect(did.at(-1)).toBe('disable version 3');
});
