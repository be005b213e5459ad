import type { Position } from '@refledger/contracts';
import { attempt, endpoint, exchanged } from '../../test/attempt-bench.js';
import { endpointVersion } from '@refledger/webhook-endpoints/testing';
import type { EndpointVersion } from '@refledger/webhook-endpoints';
import type { AttemptSenderOptions } from './attempt-sender.js';
import type { SendResult } from './sender.js';

it.each([
  [
    'disabled as gone',
    endpointVersion({ status: 'disabled', disabled: 'gone', goneAt: '6' as Position }),
    { status: 'canceled', reason: 'the endpoint was disabled after a 410 Gone' },
  ],
  [
    'enabled again after it was gone',
    endpointVersion({ goneAt: '6' as Position }),
    { status: 'canceled', reason: 'the endpoint was disabled after a 410 Gone' },
  ],
  [
    'enabled with drop',
    endpointVersion({ droppedAt: '6' as Position }),
    { status: 'canceled', reason: 'dropped when the endpoint was enabled' },
  ],
  ['unsubscribed', undefined, { status: 'canceled', reason: 'the endpoint was unsubscribed' }],
  ['paused', endpointVersion({ status: 'paused' }), { status: 'held' }],
  [
    'disabled as failing',
    endpointVersion({ status: 'disabled', disabled: 'failing' }),
    { status: 'held' },
  ],
])('sends nothing to an endpoint that is %s', async (_, latest, next) => {
  const result = await attempt({}, { endpoints: { latest: () => latest } });
  expect(result).toMatchObject({
    next,
    attempt: null,
    number: 1,
    failures: 0,
    requests: [],
    sent: undefined,
  });
});

describe('a test', () => {
  const disable = jest.fn(() => Promise.resolve(true));
  const disableIfDue = jest.fn(() => Promise.resolve());
  const tested = (latest: EndpointVersion | undefined, status: number) =>
    attempt(
      { status },
      {
        endpoints: { latest: () => latest },
        disabler: { disable },
        health: { disableIfDue },
      },
      { trigger: 'test' },
    );

  it.each([
    ['paused', endpointVersion({ status: 'paused' })],
    ['gone', endpointVersion({ status: 'disabled', disabled: 'gone', goneAt: '6' as Position })],
    ['failing', endpointVersion({ status: 'disabled', disabled: 'failing' })],
  ])('is sent to an endpoint that is %s', async (_, latest) => {
    expect(await tested(latest, 200)).toMatchObject({ next: { status: 'succeeded' } });
  });

  it.each([410, 429, 500])('that gets a %i has failed, and changes nothing', async (status) => {
    expect(await tested(endpoint, status)).toMatchObject({
      next: { status: 'failed', reason: `the response was ${status}` },
      attempt: { outcome: 'bad_status', status },
    });
    expect(disable).not.toHaveBeenCalled();
    expect(disableIfDue).not.toHaveBeenCalled();
  });

  it('is canceled once the endpoint is unsubscribed', async () => {
    expect(await tested(undefined, 200)).toMatchObject({ next: { status: 'canceled' } });
  });

  it('that was interrupted has failed', async () => {
    const signal = AbortSignal.abort();
    expect(await attempt('cut off', { signal }, { trigger: 'test' })).toMatchObject({
      next: { status: 'failed', reason: 'the dispatcher ended while it was sending this test' },
      attempt: { outcome: 'unknown' },
    });
  });
});

it('sends what an endpoint that was gone, or enabled with drop, has wanted since', async () => {
  const latest = endpointVersion({ goneAt: '5' as Position, droppedAt: '5' as Position });
  expect(await attempt({}, { endpoints: { latest: () => latest } })).toMatchObject({
    next: { status: 'succeeded' },
  });
  const dropped = endpointVersion({ droppedAt: '6' as Position });
  expect(
    await attempt({}, { endpoints: { latest: () => dropped } }, { trigger: 'redeliver' }),
  ).toMatchObject({ next: { status: 'succeeded' } });
});

it.each([
  ['paused', endpointVersion({ status: 'paused' }), { status: 'held' }],
  [
    'enabled with drop',
    endpointVersion({ droppedAt: '6' as Position }),
    { status: 'canceled', reason: 'dropped when the endpoint was enabled' },
  ],
  ['unsubscribed', undefined, { status: 'canceled', reason: 'the endpoint was unsubscribed' }],
])(
  'a delivery that fails while its endpoint is %s is not tried again, even after its last attempt',
  async (_, latest, next) => {
    for (const earlierFailures of [0, 2]) {
      let known: EndpointVersion | undefined = endpoint;
      const send = (): Promise<SendResult> => {
        known = latest;
        return Promise.resolve({ kind: 'answered', status: 500, ...exchanged });
      };
      const options = { endpoints: { latest: () => known }, sender: { send } };
      expect(await attempt({}, options, { earlierFailures })).toMatchObject({
        next,
        attempt: { outcome: 'bad_status' },
        failures: earlierFailures + 1,
      });
    }
  },
);

it('cancels a delivery without a body, whose event an operator skipped', async () => {
  expect(await attempt({}, {}, { body: null })).toMatchObject({
    next: { status: 'canceled', reason: 'an operator skipped its event' },
    requests: [],
  });
});

it('lets its endpoint be disabled before a delivery is given up, which is then held', async () => {
  let latest = endpoint;
  const judged: (number | undefined)[] = [];
  const options: Partial<AttemptSenderOptions> = {
    endpoints: { latest: () => latest },
    health: {
      disableIfDue: ({ attempt: last }) => {
        judged.push(last.status ?? undefined);
        latest = endpointVersion({ status: 'disabled', disabled: 'failing' });
        return Promise.resolve();
      },
    },
  };
  expect(await attempt({ status: 500 }, options)).toMatchObject({ next: { status: 'waiting' } });
  expect(judged).toEqual([]);
  expect(await attempt({ status: 500 }, options, { earlierFailures: 2 })).toMatchObject({
    next: { status: 'held' },
    failures: 3,
  });
  expect(judged).toEqual([500]);
});
