import type { Position } from '@refledger/contracts';
import { newMetrics, type Metrics, type PartHealth } from '@refledger/platform';
import type { DispatcherStatus } from '@refledger/webhooks';
import { watch, type Watch } from './dispatcher-figures.js';

const none = { waiting: 0, held: 0, sending: 0, succeeded: 0, failed: 0, canceled: 0 };
const noLag = { positions: 0n, seconds: 0, endpointSeconds: 7 };
type Counting = Promise<typeof none>;

let metrics: Metrics;
let watching: Watch;
let state: DispatcherStatus['state'];
let blocked: string | undefined;
let reported: PartHealth[];
let failures: unknown[];
/** Watches a dispatcher whose store counts as given. */
const given = (counts: () => Counting): void => {
  metrics = newMetrics();
  [state, blocked, reported, failures] = ['running', undefined, [], []];
  watching = watch({
    dispatcher: {
      status: () => ({
        state,
        position: '5' as Position,
        inFlight: 0,
        ...(blocked !== undefined && { sendsNothing: blocked }),
      }),
      lag: () => Promise.resolve(noLag),
    },
    store: { counts },
    keys: { counts: () => Promise.resolve({ keys: 3, erased: 1 }) },
    metrics,
    report: (health) => void reported.push(health),
    onFailure: (error) => void failures.push(error),
  });
};
const shown = async (
  name:
    | 'deliveries'
    | 'endpointsLagSeconds'
    | 'personalKeys'
    | 'processorStopped'
    | 'processorSendsNothing',
) => {
  watching.measure();
  return (await metrics[name].get()).values.map(({ value }) => value);
};
beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  watching.stop();
  jest.useRealTimers();
});

it('never measures twice at the same time, and pauses for at most 15 s, however slow the store is', async () => {
  const counting: (() => void)[] = [];
  given(() => new Promise((resolve) => counting.push(() => resolve(none))));
  await jest.advanceTimersByTimeAsync(50_000);
  expect(counting).toHaveLength(1);
  counting[0]?.();
  await jest.advanceTimersByTimeAsync(14_900);
  expect(counting).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(200);
  expect(counting).toHaveLength(2);
  watching.stop();
  counting[1]?.();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(counting).toHaveLength(2);
});

it('shows what costs nothing at once, the lag and the keys, while counting deliveries hangs', async () => {
  given(() => new Promise(() => undefined));
  await jest.advanceTimersByTimeAsync(1);
  expect(await shown('processorStopped')).toEqual([0]);
  state = 'stopped';
  expect(await shown('processorStopped')).toEqual([1]);
  await jest.advanceTimersByTimeAsync(600_000);
  expect(await shown('endpointsLagSeconds')).toEqual([7]);
  expect(await shown('personalKeys')).toEqual([3, 1]);
});

it('removes a figure that was not measured for a minute', async () => {
  let counts = (): Counting => Promise.resolve({ ...none, held: 1 });
  given(() => counts());
  await jest.advanceTimersByTimeAsync(1);
  expect(await shown('deliveries')).toEqual([0, 1, 0, 0, 0, 0]);
  counts = () => Promise.reject(new Error('locked'));
  await jest.advanceTimersByTimeAsync(59_000);
  expect(await shown('deliveries')).toHaveLength(6);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(await shown('deliveries')).toEqual([]);
  counts = () => Promise.resolve(none);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await shown('deliveries')).toHaveLength(6);
});

it('is not ready while its store fails, and measures again after a second', async () => {
  let counts = (): Counting => Promise.reject(new Error('locked'));
  given(() => counts());
  await jest.advanceTimersByTimeAsync(5_100);
  expect(failures).toHaveLength(6);
  counts = () => Promise.resolve(none);
  await jest.advanceTimersByTimeAsync(1_100);
  expect(reported.map(({ ready, detail }) => [ready, detail])).toEqual([
    [true, 'running'],
    [false, 'retrying: locked'],
    [true, 'running'],
  ]);
});

it('is ready while it sends nothing, and says why', async () => {
  given(() => Promise.resolve(none));
  blocked = 'this is a copy';
  await jest.advanceTimersByTimeAsync(300);
  expect(await shown('processorSendsNothing')).toEqual([1]);
  state = 'stopped';
  await jest.advanceTimersByTimeAsync(300);
  [state, blocked] = ['running', undefined];
  await jest.advanceTimersByTimeAsync(300);
  expect(await shown('processorSendsNothing')).toEqual([0]);
  expect(reported.map(({ ready, detail }) => [ready, detail])).toEqual([
    [true, 'running'],
    [true, 'sends nothing: this is a copy'],
    [false, 'stopped'],
    [true, 'running'],
  ]);
});
