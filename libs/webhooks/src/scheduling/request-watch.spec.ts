import { derivedId, type EndpointId } from '@refledger/contracts';
import { ManualClock } from '@refledger/webhook-endpoints/testing';
import { RequestWatch } from './request-watch.js';

const endpoint = derivedId('endpoint', 'a');

let clock: ManualClock;
let looks: number;
let requested: readonly EndpointId[] | Error;
let found: (readonly string[])[];
const both = [
  ['waiting', endpoint],
  ['held', endpoint],
];
let failures: string[];
let tested: EndpointId[];
let testing: boolean;
let watch: RequestWatch;
beforeEach(() => {
  clock = new ManualClock();
  [looks, requested, found, failures, tested, testing] = [0, [], [], [], [], true];
  watch = new RequestWatch({
    store: {
      takeRequested: () => {
        looks++;
        return requested instanceof Error ? Promise.reject(requested) : Promise.resolve(requested);
      },
    },
    tests: { send: (endpoints) => void tested.push(...endpoints), halt: () => (testing = false) },
    clock,
    logRetry: (what) => void failures.push(what),
  });
  watch.on('found', (endpoints, from) => void found.push([from, ...endpoints]));
  watch.begin();
});

const after = async (ms: number): Promise<void> => {
  clock.advance(ms);
  await new Promise(setImmediate);
};

it('looks twice per second, sends tests, and reports only what was asked for', async () => {
  await after(499);
  expect(looks).toBe(0);
  await after(1);
  requested = [endpoint];
  await after(500);
  expect([looks, found, tested]).toEqual([2, both, [endpoint]]);
});

it('looks in one loop, and sends what it took, after it was halted and started again', async () => {
  requested = [endpoint];
  clock.advance(500);
  watch.halt();
  watch.begin();
  await new Promise(setImmediate);
  expect([looks, found, tested, clock.waiting]).toEqual([1, both, [endpoint], 1]);
});

it('sends nothing while it is halted', async () => {
  requested = [endpoint];
  clock.advance(500);
  watch.halt();
  await new Promise(setImmediate);
  expect([looks, found, tested, testing, clock.waiting]).toEqual([1, [], [], false, 0]);
});

it('looks again some seconds after the store failed', async () => {
  requested = new Error('the store is down');
  await after(500);
  expect(failures).toEqual(['the search for requested deliveries']);
  requested = [endpoint];
  await after(4_999);
  expect(looks).toBe(1);
  await after(1);
  expect(found).toEqual(both);
});

it('stops looking once it is halted', async () => {
  watch.halt();
  await after(10_000);
  expect([looks, clock.waiting]).toEqual([0, 0]);
});
