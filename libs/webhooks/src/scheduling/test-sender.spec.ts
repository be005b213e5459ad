import { derivedId, type DeliveryId, type EndpointId } from '@refledger/contracts';
import { delivery } from '../../test/attempt-bench.js';
import type { AttemptEnd } from '../sending/attempt-sender.js';
import type { ClaimedDelivery } from '@refledger/delivery-store';
import { TestSender } from './test-sender.js';

const endpoints = Array.from({ length: 100 }, (_, n) => derivedId('endpoint', String(n)));
const attempted: AttemptEnd = {
  result: {
    deliveryId: delivery.id,
    number: 1,
    endedAt: '2026-01-01T00:00:00.000Z',
    attempt: null,
    failures: 0,
    next: { status: 'succeeded' },
  },
};

let claimed: EndpointId[];
let sending: { readonly delivery: ClaimedDelivery; readonly end: () => void }[];
let log: string[];
let ended: DeliveryId[];
let failing: boolean;
let tests: TestSender;
beforeEach(() => {
  [claimed, sending, log, ended, failing] = [[], [], [], [], false];
  tests = new TestSender({
    claims: {
      claimTests: (endpointId) => {
        if (failing) return Promise.reject(new Error('the store is down'));
        claimed.push(endpointId);
        return Promise.resolve([{ ...delivery, endpointId, trigger: 'test' }]);
      },
      end: (id) => void ended.push(id),
    },
    attempts: {
      send: (test) =>
        new Promise((resolve) => {
          sending.push({ delivery: test, end: () => resolve(attempted) });
        }),
    },
    outcomes: { record: () => Promise.resolve(void log.push('recorded')) },
    logRetry: (what) => void log.push(what),
  });
});

const settled = () => new Promise(setImmediate);

it('sends the tests of an endpoint, and records their outcomes', async () => {
  tests.send(endpoints.slice(0, 1));
  await settled();
  expect(sending).toMatchObject([{ delivery: { endpointId: endpoints[0] } }]);
  expect(log).toEqual([]);
  sending[0]?.end();
  await settled();
  expect([log, ended]).toEqual([['recorded'], [delivery.id]]);
});

it('sends to 64 endpoints at a time, and to the others after them', async () => {
  tests.send(endpoints);
  tests.send(endpoints);
  await settled();
  expect(claimed).toEqual(endpoints.slice(0, 64));
  sending[5]?.end();
  await settled();
  expect(claimed).toEqual(endpoints.slice(0, 65));
});

it('starts no more tests once it is halted', async () => {
  tests.send(endpoints);
  tests.halt();
  await settled();
  for (const { end } of sending) end();
  await settled();
  expect(claimed).toHaveLength(64);
});

it('continues after tests could not be claimed', async () => {
  failing = true;
  tests.send(endpoints.slice(0, 1));
  await settled();
  expect(log).toEqual(['claiming tests']);
  failing = false;
  tests.send(endpoints.slice(0, 1));
  await settled();
  expect(claimed).toEqual(endpoints.slice(0, 1));
});
