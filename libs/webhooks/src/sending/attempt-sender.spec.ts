import { ManualClock } from '@refledger/webhook-endpoints/testing';
import {
  at,
  attempt,
  delivery,
  endpoint,
  exchanged,
  plainOpener,
} from '../../test/attempt-bench.js';
import { AttemptSender } from './attempt-sender.js';

it.each([200, 201, 204, 299])('%i is a success', async (status) => {
  const result = await attempt({ status });
  expect(result.next).toEqual({ status: 'succeeded' });
  expect(result.attempt).toEqual({
    number: 1,
    startedAt: at(0),
    finishedAt: at(1_000),
    outcome: 'succeeded',
    status,
    error: null,
    address: '203.0.113.7',
    retryAfter: null,
    sealedResponse: null,
  });
  expect(result.requests).toMatchObject([
    { url: endpoint.target_url, body: '{}', timeoutMs: 5_000 },
  ]);
});

it('a 2xx with an incomplete body is a success, and shows what went wrong', async () => {
  expect(await attempt({ status: 202, error: 'the body broke off' })).toMatchObject({
    next: { status: 'succeeded' },
    attempt: { outcome: 'succeeded', status: 202, error: 'the body broke off' },
    failures: 0,
  });
});

describe('while a secret is rotated', () => {
  const previous = { secret: 'sealed before', signs_until: at(2_000) };
  const signatures = async (now: number, open = (sealed: string) => `opened ${sealed}`) => {
    const clock = new ManualClock(now);
    const { requests, attempt: made } = await attempt(
      {},
      { clock, secretBox: { open }, endpoints: { latest: () => ({ ...endpoint, previous }) } },
    );
    return requests[0]?.headers['webhook-signature']?.split(' ').length ?? made?.error;
  };

  it('both secrets sign, until the time at which the earlier one ends', async () => {
    expect([await signatures(1_999), await signatures(2_000)]).toEqual([2, 1]);
  });

  it('an previous secret that cannot be opened does no harm once it no longer signs', async () => {
    const open = (sealed: string): string => {
      if (sealed === 'sealed before') throw new Error('lost');
      return 'a secret of the client';
    };
    expect([await signatures(1_999, open), await signatures(2_000, open)]).toEqual(['lost', 1]);
  });

  it('neither secret is recorded when a receiver returns them', async () => {
    const response = {
      headers: [],
      body: 'sealed, opened; sealed before, opened',
      isTruncated: false,
    };
    const { response: shown } = await attempt(
      { status: 400, response },
      {
        secretBox: { open: (sealed) => `${sealed}, opened` },
        endpoints: { latest: () => ({ ...endpoint, previous }) },
      },
    );
    expect(shown?.body).toBe('[secret]; [secret]');
  });
});

it.each([
  [199, 'bad_status'],
  [300, 'redirect'],
  [301, 'redirect'],
  [399, 'redirect'],
  [400, 'bad_status'],
  [404, 'bad_status'],
  [503, 'bad_status'],
])('%i is retried after the schedule’s wait, and shown as %s', async (status, outcome) => {
  expect(await attempt({ status })).toMatchObject({
    next: { status: 'waiting', dueAt: at(11_000) },
    attempt: { outcome, status },
    failures: 1,
  });
});

it('a missing response is retried, with its reason', async () => {
  expect(await attempt('timed out')).toMatchObject({
    next: { status: 'waiting', dueAt: at(11_000) },
    attempt: { outcome: 'connection', status: null, error: 'timed out' },
  });
});

it('waits for as long as the receiver asks', async () => {
  expect(await attempt({ status: 429, retryAfterMs: 3_600_000 })).toMatchObject({
    next: { status: 'waiting', dueAt: at(3_601_000) },
    attempt: { retryAfter: 3_600 },
  });
});

it('fails after the last attempt', async () => {
  expect(await attempt({ status: 500 }, {}, { attempt: 3, earlierFailures: 2 })).toMatchObject({
    next: {
      status: 'failed',
      reason: 'given up after 3 failed attempts; last error: the response was 500',
    },
  });
  expect(await attempt('reset', {}, { attempt: 3, earlierFailures: 2 })).toMatchObject({
    next: { status: 'failed', reason: 'given up after 3 failed attempts; last error: reset' },
  });
});

it('counts failures, not attempts: those with an outcome lost in a crash do not use up the schedule', async () => {
  expect(await attempt({ status: 500 }, {}, { attempt: 9 })).toMatchObject({
    next: { status: 'waiting', dueAt: at(11_000) },
    attempt: { number: 9 },
  });
  expect(await attempt({ status: 500 }, {}, { attempt: 9, earlierFailures: 1 })).toMatchObject({
    next: { status: 'waiting', dueAt: at(21_000) },
  });
  expect(await attempt({ status: 500 }, {}, { attempt: 9, earlierFailures: 2 })).toMatchObject({
    next: { status: 'failed' },
  });
});

it('gives up after ten attempts in a row with an unknown outcome, and sends nothing', async () => {
  expect(await attempt({}, {}, { attempt: 10, unknownBefore: 9 })).toMatchObject({
    next: { status: 'succeeded' },
  });
  const about = { attempt: 13, earlierFailures: 2, unknownBefore: 10 };
  expect(await attempt({}, {}, about)).toMatchObject({
    next: {
      status: 'failed',
      reason: 'given up after 10 attempts in a row without a known outcome',
    },
    attempt: null,
    failures: 2,
    requests: [],
  });
});

it('records what the receiver said, without the secret', async () => {
  const secret = 'whsec_c2VjcmV0IG9mIGFuIGVuZHBvaW50';
  const response = {
    headers: [['x-echo', `key=${secret}`]] as const,
    body: `{"secret":"${secret}","raw":"c2VjcmV0IG9mIGFuIGVuZHBvaW50"}`,
    isTruncated: false,
  };
  const result = await attempt({ status: 400, response }, { secretBox: { open: () => secret } });
  expect(result.attempt).toMatchObject({
    outcome: 'bad_status',
    address: '203.0.113.7',
  });
  expect(result.response).toMatchObject({
    headers: [['x-echo', 'key=whsec_[secret]']],
    body: '{"secret":"whsec_[secret]","raw":"[secret]"}',
  });
});

it('records no part of a secret, even where the response is cut off or one secret is part of another', async () => {
  const [before, present] = ['a secret of mine', 'a secret of mine, and more'];
  const previous = { secret: before, signs_until: '2026-01-01T00:00:00.000Z' };
  const latest = { ...endpoint, secret: present, previous };
  const response = {
    headers: [['x-echo', `key=${present.slice(0, -1)}`]] as const,
    body: `${present} and ${before} and ${present.slice(0, 4)}`,
    isTruncated: true,
  };
  const result = await attempt(
    { status: 400, response },
    { endpoints: { latest: () => latest }, secretBox: { open: (sealed) => sealed } },
  );
  expect(result.response).toMatchObject({
    headers: [['x-echo', 'key=[secret]']],
    body: '[secret] and [secret] and [secret]',
  });
});

it('disables an endpoint that is gone, in the version that was used', async () => {
  const gone: unknown[] = [];
  const result = await attempt(
    { status: 410 },
    {
      disabler: {
        disable: (about) => {
          gone.push(about);
          return Promise.resolve(true);
        },
      },
    },
  );
  expect(gone).toEqual([
    { accountId: delivery.accountId, endpointId: delivery.endpointId, version: 3 },
  ]);
  expect(result).toMatchObject({
    next: { status: 'failed', reason: 'the endpoint responded with 410 Gone' },
    attempt: { status: 410 },
  });
});

it('retries after a 410 for an outdated version, or when the log cannot be written', async () => {
  expect(
    await attempt({ status: 410 }, { disabler: { disable: () => Promise.resolve(false) } }),
  ).toMatchObject({
    next: { status: 'waiting' },
    attempt: { status: 410 },
  });
  expect(
    await attempt(
      { status: 410 },
      { disabler: { disable: () => Promise.reject(new Error('away')) } },
    ),
  ).toMatchObject({
    next: { status: 'waiting' },
    attempt: { error: 'the endpoint could not be disabled: away' },
  });
});

it('opens the secret of each version once', async () => {
  let opened = 0;
  let latest = endpoint;
  const attempts = new AttemptSender({
    sender: { send: () => Promise.resolve({ kind: 'answered', status: 200, ...exchanged }) },
    secretBox: { open: (sealed) => `${sealed} ${++opened}` },
    opener: plainOpener,
    clock: new ManualClock(),
    schedule: [],
    timeoutMs: 1,
    version: '1',
    endpoints: { latest: () => latest },
    disabler: { disable: () => Promise.resolve(true) },
    health: { disableIfDue: () => Promise.resolve() },
    signal: new AbortController().signal,
  });
  for (const version of [endpoint, endpoint, { ...endpoint, revision: 4 }]) {
    latest = version;
    await attempts.send(delivery);
  }
  expect(opened).toBe(2);
});

it('retries when the secret cannot be opened, and sends nothing', async () => {
  const result = await attempt(
    {},
    {
      secretBox: {
        open: () => {
          throw new Error('no such key');
        },
      },
    },
  );
  expect(result).toMatchObject({
    next: { status: 'waiting' },
    attempt: { outcome: 'connection', error: 'no such key' },
    requests: [],
  });
});

it('records an attempt interrupted by a shutdown as unknown, and due immediately', async () => {
  const result = await attempt('canceled', { signal: AbortSignal.abort() });
  expect(result).toMatchObject({
    next: { status: 'waiting', dueAt: at(1_000) },
    attempt: { outcome: 'unknown' },
    failures: 0,
  });
});

describe('the body', () => {
  it('that cannot be opened now is not sent, and no attempt counts', async () => {
    const opener = { open: () => Promise.resolve('unavailable' as const) };
    const clock = new ManualClock(0);
    expect(await attempt({}, { opener, clock }, { earlierFailures: 1 })).toMatchObject({
      next: { status: 'waiting', dueAt: at(30_000 * (0.5 + clock.random() / 2)) },
      attempt: null,
      failures: 1,
      requests: [],
    });
  });

  it('is opened only if the endpoint takes deliveries, which may change meanwhile', async () => {
    let latest = endpoint;
    const open = jest.fn((one: typeof delivery) => {
      latest = { ...endpoint, status: 'paused' };
      return plainOpener.open(one);
    });
    const options = { endpoints: { latest: () => latest }, opener: { open } };
    const held = { next: { status: 'held' }, attempt: null, requests: [] };
    expect(await attempt({}, options)).toMatchObject(held);
    expect(await attempt({}, options)).toMatchObject(held);
    expect(open).toHaveBeenCalledTimes(1);
  });

  it('tells when the event was recorded', async () => {
    const body = JSON.stringify({ timestamp: at(7_000) });
    expect(await attempt({}, {}, { body })).toMatchObject({ recordedAt: 7_000 });
  });
});
